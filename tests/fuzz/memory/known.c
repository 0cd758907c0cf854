/* SPDX-License-Identifier: ISC */
/*
 * known.c - what libraries have written, for builds with MemorySanitizer (make fuzz SANITIZE=memory)
 *
 * MemorySanitizer knows what code has written that was compiled with it, and what functions of the C library write.  libzstd, zlib,
 * liblzma, libelf, libmd, libbsd, jansson and libiberty are Debian's.  So the linker puts a function of this file in the place of
 * each of their functions that give something back: it demands that all bytes that go in are set, and says which ones have been
 * written.  WRAP(name) in front of each is where the Makefile takes their names from.
 */
#include <sys/stat.h>

#include <sanitizer/msan_interface.h>

#include <elf.h>
#include <gelf.h>
#include <jansson.h>
#ifdef WITH_LZMA
#include <lzma.h>
#endif
#include <malloc.h>
#include <regex.h>
#include <sha1.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <zlib.h>
#include <zstd.h>

#define WRAP(name)	/* the function that follows is called in the place of it */
#define GIVEN(p, n)	__msan_check_mem_is_initialized(p, n)
#define WRITTEN(p, n)	__msan_unpoison(p, n)
/* What a library does with memcmp() and the like is its own. */
#define OUTSIDE(call)	__extension__({							\
	__msan_scoped_disable_interceptor_checks();					\
	__typeof__(call) result_ = (call);						\
	__msan_scoped_enable_interceptor_checks();					\
	result_;									\
})

/* What is here has no prototype elsewhere: it is only seen by the linker. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- libzstd ------------------------------------------------------------------------------------------- */

size_t	__real_ZSTD_compress(void *, size_t, const void *, size_t, int);
WRAP(ZSTD_compress)
size_t
__wrap_ZSTD_compress(void *to, size_t size, const void *from, size_t n, int level)
{
	size_t made;

	GIVEN(from, n);
	made = OUTSIDE(__real_ZSTD_compress(to, size, from, n, level));
	if (!ZSTD_isError(made))
		WRITTEN(to, made);
	return made;
}

size_t	__real_ZSTD_compressStream2(ZSTD_CCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *, ZSTD_EndDirective);
WRAP(ZSTD_compressStream2)
size_t
__wrap_ZSTD_compressStream2(ZSTD_CCtx *c, ZSTD_outBuffer *out, ZSTD_inBuffer *in, ZSTD_EndDirective end)
{
	size_t from = out->pos, rc;

	if (in->size > in->pos)
		GIVEN((const char *)in->src + in->pos, in->size - in->pos);
	rc = OUTSIDE(__real_ZSTD_compressStream2(c, out, in, end));
	if (out->pos > from)
		WRITTEN((char *)out->dst + from, out->pos - from);
	return rc;
}

size_t	__real_ZSTD_decompress(void *, size_t, const void *, size_t);
WRAP(ZSTD_decompress)
size_t
__wrap_ZSTD_decompress(void *to, size_t size, const void *from, size_t n)
{
	size_t made;

	GIVEN(from, n);
	made = OUTSIDE(__real_ZSTD_decompress(to, size, from, n));
	if (!ZSTD_isError(made))
		WRITTEN(to, made);
	return made;
}

size_t	__real_ZSTD_decompressDCtx(ZSTD_DCtx *, void *, size_t, const void *, size_t);
WRAP(ZSTD_decompressDCtx)
size_t
__wrap_ZSTD_decompressDCtx(ZSTD_DCtx *d, void *to, size_t size, const void *from, size_t n)
{
	size_t made;

	GIVEN(from, n);
	made = OUTSIDE(__real_ZSTD_decompressDCtx(d, to, size, from, n));
	if (!ZSTD_isError(made))
		WRITTEN(to, made);
	return made;
}

size_t	__real_ZSTD_decompressStream(ZSTD_DStream *, ZSTD_outBuffer *, ZSTD_inBuffer *);
WRAP(ZSTD_decompressStream)
size_t
__wrap_ZSTD_decompressStream(ZSTD_DStream *d, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	size_t from = out->pos, rc;

	if (in->size > in->pos)
		GIVEN((const char *)in->src + in->pos, in->size - in->pos);
	rc = OUTSIDE(__real_ZSTD_decompressStream(d, out, in));
	if (out->pos > from)
		WRITTEN((char *)out->dst + from, out->pos - from);
	return rc;
}

/* ---- zlib, liblzma ------------------------------------------------------------------------------------- */

int	__real_uncompress(Bytef *, uLongf *, const Bytef *, uLong);
WRAP(uncompress)
int
__wrap_uncompress(Bytef *to, uLongf *size, const Bytef *from, uLong n)
{
	int rc;

	GIVEN(from, n);
	rc = OUTSIDE(__real_uncompress(to, size, from, n));
	if (rc == Z_OK)
		WRITTEN(to, *size);
	return rc;
}

int	__real_compress2(Bytef *, uLongf *, const Bytef *, uLong, int);
WRAP(compress2)
int
__wrap_compress2(Bytef *to, uLongf *size, const Bytef *from, uLong n, int level)
{
	int rc;

	GIVEN(from, n);
	rc = OUTSIDE(__real_compress2(to, size, from, n, level));
	if (rc == Z_OK)
		WRITTEN(to, *size);
	return rc;
}

int	__real_deflateInit2_(z_stream *, int, int, int, int, int, const char *, int);
WRAP(deflateInit2_)
int
__wrap_deflateInit2_(z_stream *z, int level, int method, int bits, int memory, int strategy, const char *version, int size)
{
	int rc = OUTSIDE(__real_deflateInit2_(z, level, method, bits, memory, strategy, version, size));

	WRITTEN(z, sizeof *z);
	return rc;
}

int	__real_deflate(z_stream *, int);
WRAP(deflate)
int
__wrap_deflate(z_stream *z, int flush)
{
	Bytef *from = z->next_out;
	int rc;

	GIVEN(z->next_in, z->avail_in);
	rc = OUTSIDE(__real_deflate(z, flush));
	WRITTEN(z, sizeof *z);
	WRITTEN(from, (size_t)(z->next_out - from));
	return rc;
}

int	__real_inflateInit2_(z_stream *, int, const char *, int);
WRAP(inflateInit2_)
int
__wrap_inflateInit2_(z_stream *z, int bits, const char *version, int size)
{
	int rc = OUTSIDE(__real_inflateInit2_(z, bits, version, size));

	WRITTEN(z, sizeof *z);
	return rc;
}

int	__real_inflate(z_stream *, int);
WRAP(inflate)
int
__wrap_inflate(z_stream *z, int flush)
{
	Bytef *from = z->next_out;
	int rc;

	GIVEN(z->next_in, z->avail_in);
	rc = OUTSIDE(__real_inflate(z, flush));
	WRITTEN(z, sizeof *z);
	WRITTEN(from, (size_t)(z->next_out - from));
	return rc;
}

uLong	__real_crc32(uLong, const Bytef *, uInt);
WRAP(crc32)
uLong
__wrap_crc32(uLong crc, const Bytef *p, uInt n)
{
	if (p)
		GIVEN(p, n);
	return OUTSIDE(__real_crc32(crc, p, n));
}

#ifdef WITH_LZMA
lzma_ret __real_lzma_stream_decoder(lzma_stream *, uint64_t, uint32_t);
WRAP(lzma_stream_decoder)
lzma_ret
__wrap_lzma_stream_decoder(lzma_stream *z, uint64_t memory, uint32_t flags)
{
	lzma_ret rc = OUTSIDE(__real_lzma_stream_decoder(z, memory, flags));

	WRITTEN(z, sizeof *z);
	return rc;
}

lzma_ret __real_lzma_code(lzma_stream *, lzma_action);
WRAP(lzma_code)
lzma_ret
__wrap_lzma_code(lzma_stream *z, lzma_action action)
{
	uint8_t *from = z->next_out;
	lzma_ret rc;

	GIVEN(z->next_in, z->avail_in);
	rc = OUTSIDE(__real_lzma_code(z, action));
	WRITTEN(z, sizeof *z);
	WRITTEN(from, (size_t)(z->next_out - from));
	return rc;
}
#endif

/* ---- libmd, libbsd ------------------------------------------------------------------------------------- */

#define HASH_INIT(function, context)								\
	void	__real_##function(context *);							\
	void	__wrap_##function(context *c)							\
	{											\
		__real_##function(c);								\
		WRITTEN(c, sizeof *c);								\
	}
#define HASH_UPDATE(function, context)								\
	void	__real_##function(context *, const uint8_t *, size_t);				\
	void	__wrap_##function(context *c, const uint8_t *p, size_t n)			\
	{											\
		GIVEN(p, n);									\
		__real_##function(c, p, n);							\
	}
#define HASH_FINAL(function, context, size)							\
	void	__real_##function(uint8_t [size], context *);					\
	void	__wrap_##function(uint8_t to[size], context *c)					\
	{											\
		__real_##function(to, c);							\
		WRITTEN(to, size);								\
	}

WRAP(SHA1Init)
HASH_INIT(SHA1Init, SHA1_CTX)
WRAP(SHA1Update)
HASH_UPDATE(SHA1Update, SHA1_CTX)
WRAP(SHA1Final)
HASH_FINAL(SHA1Final, SHA1_CTX, SHA1_DIGEST_LENGTH)
WRAP(SHA256Init)
HASH_INIT(SHA256Init, SHA2_CTX)
WRAP(SHA256Update)
HASH_UPDATE(SHA256Update, SHA2_CTX)
WRAP(SHA256Final)
HASH_FINAL(SHA256Final, SHA2_CTX, SHA256_DIGEST_LENGTH)

int	__real_strvisx(char *, const char *, size_t, int);
WRAP(strvisx)
int
__wrap_strvisx(char *to, const char *from, size_t n, int flags)
{
	int made;

	GIVEN(from, n);
	made = OUTSIDE(__real_strvisx(to, from, n, flags));
	if (made >= 0)
		WRITTEN(to, (size_t)made + 1);
	return made;
}

long long __real_strtonum(const char *, long long, long long, const char **);
WRAP(strtonum)
long long
__wrap_strtonum(const char *s, long long least, long long most, const char **why)
{
	long long n;

	GIVEN(s, strlen(s) + 1);
	n = OUTSIDE(__real_strtonum(s, least, most, why));
	if (why) {
		WRITTEN(why, sizeof *why);
		if (*why)
			WRITTEN(*why, strlen(*why) + 1);
	}
	return n;
}

int	__real_expand_number(const char *, uint64_t *);
WRAP(expand_number)
int
__wrap_expand_number(const char *s, uint64_t *n)
{
	int rc;

	GIVEN(s, strlen(s) + 1);
	rc = OUTSIDE(__real_expand_number(s, n));
	if (!rc)
		WRITTEN(n, sizeof *n);
	return rc;
}

/* ---- libelf -------------------------------------------------------------------------------------------- */

/* Those that fill what their last argument points to, and return it. */
#define GELF(type, function, parameters, ...)							\
	type	*__real_##function parameters;							\
	type	*__wrap_##function parameters							\
	{											\
		type *p = OUTSIDE(__real_##function(__VA_ARGS__));				\
												\
		if (p)										\
			WRITTEN(p, sizeof *p);							\
		return p;									\
	}

WRAP(gelf_getehdr)
GELF(GElf_Ehdr, gelf_getehdr, (Elf *e, GElf_Ehdr *to), e, to)
WRAP(gelf_getphdr)
GELF(GElf_Phdr, gelf_getphdr, (Elf *e, int i, GElf_Phdr *to), e, i, to)
WRAP(gelf_getshdr)
GELF(GElf_Shdr, gelf_getshdr, (Elf_Scn *s, GElf_Shdr *to), s, to)
WRAP(gelf_getsym)
GELF(GElf_Sym, gelf_getsym, (Elf_Data *d, int i, GElf_Sym *to), d, i, to)
WRAP(gelf_getrel)
GELF(GElf_Rel, gelf_getrel, (Elf_Data *d, int i, GElf_Rel *to), d, i, to)
WRAP(gelf_getrela)
GELF(GElf_Rela, gelf_getrela, (Elf_Data *d, int i, GElf_Rela *to), d, i, to)

size_t	__real_gelf_getnote(Elf_Data *, size_t, GElf_Nhdr *, size_t *, size_t *);
WRAP(gelf_getnote)
size_t
__wrap_gelf_getnote(Elf_Data *d, size_t at, GElf_Nhdr *to, size_t *name, size_t *desc)
{
	size_t next = OUTSIDE(__real_gelf_getnote(d, at, to, name, desc));

	if (next) {
		WRITTEN(to, sizeof *to);
		WRITTEN(name, sizeof *name);
		WRITTEN(desc, sizeof *desc);
	}
	return next;
}

/* The file itself is read, or mapped, by the caller or by libelf; it is what it is. */
static Elf_Data *
data(Elf_Data *d)
{
	if (d) {
		WRITTEN(d, sizeof *d);
		if (d->d_buf)
			WRITTEN(d->d_buf, d->d_size);
	}
	return d;
}

Elf_Data *__real_elf_getdata(Elf_Scn *, Elf_Data *);
WRAP(elf_getdata)
Elf_Data *
__wrap_elf_getdata(Elf_Scn *s, Elf_Data *d)
{
	return data(OUTSIDE(__real_elf_getdata(s, d)));
}

Elf_Data *__real_elf_rawdata(Elf_Scn *, Elf_Data *);
WRAP(elf_rawdata)
Elf_Data *
__wrap_elf_rawdata(Elf_Scn *s, Elf_Data *d)
{
	return data(OUTSIDE(__real_elf_rawdata(s, d)));
}

Elf	*__real_elf_memory(char *, size_t);
WRAP(elf_memory)
Elf *
__wrap_elf_memory(char *p, size_t n)
{
	GIVEN(p, n);
	return OUTSIDE(__real_elf_memory(p, n));
}

char	*__real_elf_getident(Elf *, size_t *);
WRAP(elf_getident)
char *
__wrap_elf_getident(Elf *e, size_t *n)
{
	size_t len = 0;
	char *p = OUTSIDE(__real_elf_getident(e, &len));

	WRITTEN(&len, sizeof len);
	if (p)
		WRITTEN(p, len);
	if (n)
		*n = len;
	return p;
}

int	__real_elf_getphdrnum(Elf *, size_t *);
WRAP(elf_getphdrnum)
int
__wrap_elf_getphdrnum(Elf *e, size_t *n)
{
	int rc = OUTSIDE(__real_elf_getphdrnum(e, n));

	if (!rc)
		WRITTEN(n, sizeof *n);
	return rc;
}

int	__real_elf_getshdrstrndx(Elf *, size_t *);
WRAP(elf_getshdrstrndx)
int
__wrap_elf_getshdrstrndx(Elf *e, size_t *n)
{
	int rc = OUTSIDE(__real_elf_getshdrstrndx(e, n));

	if (!rc)
		WRITTEN(n, sizeof *n);
	return rc;
}

int	__real_elf_getshdrnum(Elf *, size_t *);
WRAP(elf_getshdrnum)
int
__wrap_elf_getshdrnum(Elf *e, size_t *n)
{
	int rc = OUTSIDE(__real_elf_getshdrnum(e, n));

	if (!rc)
		WRITTEN(n, sizeof *n);
	return rc;
}

char	*__real_elf_strptr(Elf *, size_t, size_t);
WRAP(elf_strptr)
char *
__wrap_elf_strptr(Elf *e, size_t section, size_t at)
{
	char *s = OUTSIDE(__real_elf_strptr(e, section, at));

	if (s)
		WRITTEN(s, strlen(s) + 1);
	return s;
}

/* ---- libiberty ----------------------------------------------------------------------------------------- */

#ifndef NO_DEMANGLE
/* A call from code that MemorySanitizer does not know: what was set for the arguments of a call before it says nothing of these. */
typedef void piece(const char *, size_t, void *);
struct pieces { piece *to; void *arg; };

static __attribute__((no_sanitize("memory"))) void
known_piece(const char *p, size_t n, void *arg)
{
	struct pieces *x = arg;

	WRITTEN(p, n);
	__msan_scoped_enable_interceptor_checks();
	x->to(p, n, x->arg);
	__msan_scoped_disable_interceptor_checks();
}

int	__real_cplus_demangle_v3_callback(const char *, int, piece *, void *);
WRAP(cplus_demangle_v3_callback)
int
__wrap_cplus_demangle_v3_callback(const char *name, int options, piece *to, void *arg)
{
	struct pieces x = { to, arg };

	GIVEN(name, strlen(name) + 1);
	return OUTSIDE(__real_cplus_demangle_v3_callback(name, options, known_piece, &x));
}

int	__real_rust_demangle_callback(const char *, int, piece *, void *);
WRAP(rust_demangle_callback)
int
__wrap_rust_demangle_callback(const char *name, int options, piece *to, void *arg)
{
	struct pieces x = { to, arg };

	GIVEN(name, strlen(name) + 1);
	return OUTSIDE(__real_rust_demangle_callback(name, options, known_piece, &x));
}
#endif

/* ---- jansson ------------------------------------------------------------------------------------------- */

/* All that it allocates counts as set; with what the program gives it for that, or with malloc(). */
static json_malloc_t json_alloc = malloc;
static json_free_t json_release = free;

static __attribute__((no_sanitize("memory"))) void *
known_alloc(size_t n)
{
	void *p = json_alloc(n);

	if (p)
		WRITTEN(p, n);
	return p;
}

static __attribute__((no_sanitize("memory"))) void
known_release(void *p)
{
	json_release(p);
}

void	__real_json_set_alloc_funcs(json_malloc_t, json_free_t);
WRAP(json_set_alloc_funcs)
void
__wrap_json_set_alloc_funcs(json_malloc_t alloc, json_free_t release)
{
	json_alloc = alloc;
	json_release = release;
}

__attribute__((constructor)) static void
known_json(void)
{
	__real_json_set_alloc_funcs(known_alloc, known_release);
}

struct giver { json_load_callback_t give; void *arg; };

static __attribute__((no_sanitize("memory"))) size_t
known_give(void *to, size_t size, void *arg)
{
	struct giver *g = arg;
	size_t n;

	__msan_scoped_enable_interceptor_checks();
	n = g->give(to, size, g->arg);
	__msan_scoped_disable_interceptor_checks();
	return n;
}

json_t	*__real_json_load_callback(json_load_callback_t, void *, size_t, json_error_t *);
WRAP(json_load_callback)
json_t *
__wrap_json_load_callback(json_load_callback_t give, void *arg, size_t flags, json_error_t *error)
{
	struct giver g = { give, arg };
	json_t *j = OUTSIDE(__real_json_load_callback(known_give, &g, flags, error));

	WRITTEN(error, sizeof *error);
	return j;
}

int	__real_json_dumpf(const json_t *, FILE *, size_t);
WRAP(json_dumpf)
int
__wrap_json_dumpf(const json_t *j, FILE *f, size_t flags)
{
	return OUTSIDE(__real_json_dumpf(j, f, flags));
}

/* ---- the C library: what clang 14 does not know of it ----------------------------------------------------- */

int	__real_stat64(const char *, struct stat *);
WRAP(stat64)
int
__wrap_stat64(const char *path, struct stat *st)
{
	int rc = __real_stat64(path, st);

	if (!rc)
		WRITTEN(st, sizeof *st);
	return rc;
}

int	__real_lstat64(const char *, struct stat *);
WRAP(lstat64)
int
__wrap_lstat64(const char *path, struct stat *st)
{
	int rc = __real_lstat64(path, st);

	if (!rc)
		WRITTEN(st, sizeof *st);
	return rc;
}

int	__real_fstat64(int, struct stat *);
WRAP(fstat64)
int
__wrap_fstat64(int fd, struct stat *st)
{
	int rc = __real_fstat64(fd, st);

	if (!rc)
		WRITTEN(st, sizeof *st);
	return rc;
}

int	__real_fstatat64(int, const char *, struct stat *, int);
WRAP(fstatat64)
int
__wrap_fstatat64(int dir, const char *path, struct stat *st, int flags)
{
	int rc = __real_fstatat64(dir, path, st, flags);

	if (!rc)
		WRITTEN(st, sizeof *st);
	return rc;
}

int	__real_regcomp(regex_t *, const char *, int);
WRAP(regcomp)
int
__wrap_regcomp(regex_t *r, const char *text, int flags)
{
	int rc;

	GIVEN(text, strlen(text) + 1);
	rc = OUTSIDE(__real_regcomp(r, text, flags));
	WRITTEN(r, sizeof *r);
	return rc;
}

int	__real_regexec(const regex_t *, const char *, size_t, regmatch_t *, int);
WRAP(regexec)
int
__wrap_regexec(const regex_t *r, const char *text, size_t n, regmatch_t *match, int flags)
{
	int rc;

	if (!(flags & REG_STARTEND))
		GIVEN(text, strlen(text) + 1);
	rc = OUTSIDE(__real_regexec(r, text, n, match, flags));
	if (!rc && match)
		WRITTEN(match, n * sizeof *match);
	return rc;
}

size_t	__real_regerror(int, const regex_t *, char *, size_t);
WRAP(regerror)
size_t
__wrap_regerror(int error, const regex_t *r, char *to, size_t size)
{
	size_t n = OUTSIDE(__real_regerror(error, r, to, size));

	WRITTEN(to, n < size ? n : size);
	return n;
}

struct mallinfo2 __real_mallinfo2(void);
WRAP(mallinfo2)
struct mallinfo2
__wrap_mallinfo2(void)
{
	struct mallinfo2 m = __real_mallinfo2();

	WRITTEN(&m, sizeof m);
	return m;
}
