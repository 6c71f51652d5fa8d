// Command forward takes connections where it is started and passes them on in another network namespace:
//
//	forward 127.0.0.1:20000 /run/ql3-lab/ql3/net/control 127.0.0.1:6443
//
// So the machine's loopback reaches the lab's API server, though no interface and no route leads there.
package main

import (
	"io"
	"log"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: forward LISTEN-ADDRESS NAMESPACE-FILE ADDRESS")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	must(err)
	namespace, err := os.Open(os.Args[2])
	must(err)
	runtime.LockOSThread() // a network namespace is a thread's; a socket stays in the one it was made in
	must(unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET))
	for {
		near, err := listener.Accept()
		must(err)
		far, err := net.Dial("tcp", os.Args[3])
		if err != nil {
			log.Print(err)
			near.Close()
			continue
		}
		go pass(near.(*net.TCPConn), far.(*net.TCPConn))
		go pass(far.(*net.TCPConn), near.(*net.TCPConn))
	}
}

// pass copies one direction. An end is passed on as an end, anything else cuts both directions.
func pass(from, to *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		from.Close()
		to.Close()
		return
	}
	to.CloseWrite()
	from.CloseRead()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
