package main

import (
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// etcdEndpoint is a Unix socket in the data directory, which only its owner may enter: a TCP port of an etcd without
// client certificates would hand every Secret to every user of the machine. It is relative, because the path of a Unix
// socket is limited to 107 bytes; the supervisor and kube-apiserver run in the data directory.
const etcdEndpoint = "unix://etcd.sock"

// startEtcd runs a single-member etcd in this process, with fsync: an acknowledged write survives kill -9 and power loss.
func startEtcd(dir string) (*embed.Etcd, error) {
	client, peer := mustURL(etcdEndpoint), mustURL("unix://etcd-peer.sock")
	cfg := embed.NewConfig()
	cfg.Name = "tenon"
	cfg.Dir = dir
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.LogLevel = "warn"
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.QuotaBackendBytes = 8 << 30
	cfg.AutoCompactionMode, cfg.AutoCompactionRetention = "periodic", "5m"
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, err
	case <-time.After(60 * time.Second):
		etcd.Close()
		return nil, fmt.Errorf("not ready after 60 s")
	}
}

func mustURL(text string) url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return *u
}
