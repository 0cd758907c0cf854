# SPDX-License-Identifier: ISC
# GNU make.  make demo; make check; make install DESTDIR= PREFIX=; make bench, asan, lint, golden, clean
PREFIX = /usr/local
CFLAGS = -O2 -g
O      = build
TOOLS  = pcat pfilter pinject psort pstat
PKGS   = libzstd libbsd-overlay

WARN   = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wformat=2
override CPPFLAGS += -D_GNU_SOURCE -DLIBBSD_NETBSD_VIS -Icommon -MMD -MP $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
override CFLAGS += $(WARN)
LDLIBS = $(shell pkg-config --libs $(PKGS) 2>/dev/null)
pinject: LDLIBS += -lelf
pstat:   LDLIBS += -ljansson

LIB    = $(O)/libperfpipe.a
objs   = $(patsubst %.c,$(O)/%.o,$(wildcard $(1)/*.c))

all: $(TOOLS)
.PHONY: all $(TOOLS)
$(TOOLS): %: $(O)/%

.SECONDEXPANSION:
$(TOOLS:%=$(O)/%): $(O)/%: $$(call objs,cmd/%) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(LIB): $(call objs,common)
	rm -f $@ && $(AR) rcs $@ $^
$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
-include $(wildcard $(O)/common/*.d $(O)/cmd/*/*.d $(O)/tests/*/*.d)

clean:
	rm -rf $(O)
