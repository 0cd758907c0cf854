// SPDX-License-Identifier: ISC
// takeover.go - a load for perf record, as takeover.c: a Go program execs from whatever thread the call is made in.
//
//	takeover PROGRAM...
//
// Each of the programs, which are links to this one, works in 300 threads, and then execs the next.
package main

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func burn(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func init() {
	runtime.LockOSThread() // the goroutine of main keeps the first thread, so that another one execs
}

func main() {
	burn(10 * time.Millisecond)
	if len(os.Args) < 2 {
		return
	}
	var all sync.WaitGroup
	for i := 0; i < 300; i++ {
		all.Add(1)
		go func() {
			runtime.LockOSThread()
			all.Done()
			select {}
		}()
	}
	all.Wait()
	go func() {
		runtime.LockOSThread()
		burn(20 * time.Millisecond)
		panic(syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
	}()
	select {}
}
