// Command enforcer is kube-router's NetworkPolicy controller alone: what `kube-router --run-firewall` runs, without
// its routes and its proxy.
package main

import (
	"flag"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"github.com/spf13/pflag"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	klog.InitFlags(nil)
	options := options.NewKubeRouterConfig()
	options.AddFlags(pflag.CommandLine)
	pflag.Parse()
	must(flag.Set("logtostderr", "true"))
	must(flag.Set("v", options.VLevel))
	config := got(clientcmd.BuildConfigFromFlags("", options.Kubeconfig))
	client := got(kubernetes.NewForConfig(config))

	end := make(chan struct{})
	informers := informers.NewSharedInformerFactory(client, 0)
	pods := informers.Core().V1().Pods().Informer()
	namespaces := informers.Core().V1().Namespaces().Informer()
	policies := informers.Networking().V1().NetworkPolicies().Informer()
	informers.Start(end)
	informers.WaitForCacheSync(end)

	tables, sets, err := netpol.NewIPTablesHandlers(options)
	must(err)
	controller := got(netpol.NewNetworkPolicyController(
		client, options, pods, policies, namespaces, &sync.Mutex{}, tables, sets))
	watch(pods, controller.PodEventHandler)
	watch(namespaces, controller.NamespaceEventHandler)
	watch(policies, controller.NetworkPolicyEventHandler)

	var running sync.WaitGroup
	running.Add(1)
	go controller.Run(heard(), end, &running)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	close(end)
	running.Wait()
}

// heard takes the controller's heartbeats, without which it stops after ten of them.
func heard() chan *healthcheck.ControllerHeartbeat {
	beats := make(chan *healthcheck.ControllerHeartbeat, 10)
	go func() {
		for range beats {
		}
	}()
	return beats
}

func watch(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	got(informer.AddEventHandler(handler))
}

func got[T any](value T, err error) T {
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		klog.Fatal(err)
	}
}
