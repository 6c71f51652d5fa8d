// Command probe is a Pod's eyes and hands in `hack/lab check`, and the listener of the lab's public host:
//
//	probe dial SECONDS +ADDRESS... -ADDRESS...   dials until all marked + are open and all marked - are not
//	probe eat MIB                                fills that much memory and keeps it for a moment
//	probe resolve NAME                           prints the name's addresses
//	probe serve ADDRESS...                       accepts and closes, for ever
//	probe who                                    prints what the kernel says of it, and whether / can be written
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		os.Args = append(os.Args, "", "")
	}
	arguments := os.Args[2:]
	switch os.Args[1] {
	case "dial":
		dial(number(arguments[0]), arguments[1:])
	case "eat":
		eat(number(arguments[0]))
	case "resolve":
		addresses, err := net.LookupHost(arguments[0])
		must(err)
		fmt.Println(addresses)
	case "serve":
		for _, address := range arguments {
			go serve(address)
		}
		select {}
	case "who":
		who()
	default:
		log.Print("usage: probe dial|eat|resolve|serve|who ...")
		os.Exit(64)
	}
}

// dial dials all the addresses round after round, from the first millisecond on, and says when what it sees changes.
// It ends well after three rounds in a row in which each address marked + was open and each marked - was not: a
// denial counts only beside something that is open, for a new Pod may be denied everything or nothing for a moment.
func dial(seconds int, marked []string) {
	begin := time.Now()
	good, last := 0, make(map[string]string)
	for time.Since(begin) < time.Duration(seconds)*time.Second {
		good++
		for _, each := range marked {
			wanted, address := each[:1], each[1:]
			seen := "+"
			connection, err := net.DialTimeout("tcp", address, 500*time.Millisecond)
			if err != nil {
				seen = "-"
			} else {
				connection.Close()
			}
			if seen != last[address] {
				fmt.Printf("%s%s after %d ms; ", seen, address, time.Since(begin).Milliseconds())
				last[address] = seen
			}
			if seen != wanted {
				good = 0
			}
		}
		if good == 3 {
			fmt.Println()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	log.Fatalf("not so within %d s", seconds)
}

func eat(mebibytes int) {
	eaten := make([]byte, mebibytes<<20)
	for at := 0; at < len(eaten); at += os.Getpagesize() {
		eaten[at] = 1
	}
	time.Sleep(200 * time.Millisecond)
	fmt.Println("ate", mebibytes, "MiB, last byte", eaten[len(eaten)-1])
}

func serve(address string) {
	listener, err := net.Listen("tcp", address)
	must(err)
	for {
		connection, err := listener.Accept()
		must(err)
		connection.Close()
	}
}

func who() {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	os.Stdout.Write(status)
	err = os.WriteFile("/written", nil, 0o600)
	fmt.Println("Root:", err)
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
