package main

import (
	"context"

	"k8s.io/component-base/cli"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func kubeletMain() int { return cli.Run(kubelet.NewKubeletCommand(context.Background())) }

func kubeProxyMain() int { return cli.Run(proxy.NewProxyCommand()) }
