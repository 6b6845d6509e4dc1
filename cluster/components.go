package main

import (
	"fmt"

	"tenon.dev/cluster/instance"
	"tenon.dev/cluster/pki"
)

func apiServerArgs(keys pki.Keys, in *instance.Instance) []string {
	// The endpoint of the Service `kubernetes` must not be a loopback address, so without a real node it has none. Pods of
	// a real node use the machine's end of the link, from where the supervisor forwards to loopback.
	reconciler, advertised := "none", "192.0.2.1"
	if in.Node {
		reconciler, advertised = "lease", in.Network.HostAddress().String()
	}
	return []string{
		"--etcd-servers=" + etcdEndpoint,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", in.Port),
		"--endpoint-reconciler-type=" + reconciler,
		"--advertise-address=" + advertised,
		"--tls-cert-file=" + keys.Path("apiserver.crt"),
		"--tls-private-key-file=" + keys.Path("apiserver.key"),
		"--client-ca-file=" + keys.Path("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + keys.Path("sa.pub"),
		"--service-account-signing-key-file=" + keys.Path("sa.key"),
		"--service-cluster-ip-range=" + in.Network.Services.String(),
		"--allow-privileged=true",
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--requestheader-client-ca-file=" + keys.Path("front-proxy-ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + keys.Path("front-proxy-client.crt"),
		"--proxy-client-key-file=" + keys.Path("front-proxy-client.key"),
		"--enable-aggregator-routing=true",
		"--kubelet-client-certificate=" + keys.Path("apiserver-kubelet-client.crt"),
		"--kubelet-client-key=" + keys.Path("apiserver-kubelet-client.key"),
		"--kubelet-certificate-authority=" + keys.Path("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP,Hostname",
	}
}

// controllerManagerArgs and schedulerArgs turn off the secure port (0): nothing calls it, and each port could collide.
func controllerManagerArgs(keys pki.Keys, in *instance.Instance) []string {
	return []string{
		"--kubeconfig=" + keys.Path("controller-manager.kubeconfig"),
		"--secure-port=0",
		"--leader-elect=false",
		"--kube-api-qps=1000", // at its default of 20 the controllers alone take 7 s to start
		"--kube-api-burst=1000",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + keys.Path("sa.key"),
		"--root-ca-file=" + keys.Path("ca.crt"),
		"--cluster-signing-cert-file=" + keys.Path("ca.crt"),
		"--cluster-signing-key-file=" + keys.Path("ca.key"),
		"--allocate-node-cidrs=true",
		"--cluster-cidr=" + in.Network.Pods.String(),
		"--service-cluster-ip-range=" + in.Network.Services.String(),
	}
}

func schedulerArgs(keys pki.Keys) []string {
	return []string{
		"--kubeconfig=" + keys.Path("scheduler.kubeconfig"),
		"--secure-port=0",
		"--leader-elect=false",
	}
}

func kwokArgs(keys pki.Keys, stages string) []string {
	return []string{
		"--kubeconfig=" + keys.Path("admin.kubeconfig"),
		"--config=" + stages,
		"--manage-nodes-with-annotation-selector=" + fakeNodeAnnotation + "=fake",
		"--node-lease-duration-seconds=40",
	}
}
