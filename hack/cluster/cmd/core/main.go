// Command core is the part of Kubernetes that the core lab needs, as one program: etcd, kube-apiserver
// and kubectl. Which one it is, is decided by the name it is called by (a link), or by the first argument.
//
// It is a program of its own, apart from the nodes' parts, because it compiles in half the time.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	args := append([]string(nil), os.Args...)
	name := filepath.Base(args[0])
	if name == "core" && len(args) > 1 {
		args = args[1:]
		name = args[0]
	}
	args[0] = name
	os.Args = args // etcd and cobra read it themselves
	switch name {
	case "etcd":
		etcdmain.Main(args)
	case "kube-apiserver":
		os.Exit(run(apiserver.NewAPIServerCommand()))
	case "kubectl":
		os.Exit(run(kubectl.NewDefaultKubectlCommand()))
	default:
		fmt.Fprintln(os.Stderr, "usage: core etcd|kube-apiserver|kubectl [flags]")
		os.Exit(64)
	}
}

func run(command *cobra.Command) int { return cli.Run(command) }
