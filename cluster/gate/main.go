// Command gate is the last network plugin of a pod on a real node (https://www.cni.dev/docs/spec/). It gives the pod no
// network, but holds it back until the supervisor enforces the network policies for its address; see cluster/policies.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
)

// settings are those of the plugin, with what the plugins before it have made.
type settings struct {
	Version   string          `json:"cniVersion"`
	Directory string          `json:"directory"` // where the supervisor listens
	Socket    string          `json:"socket"`    // its name there: the path of a socket may have 107 characters
	Previous  json.RawMessage `json:"prevResult"`
}

// announcement and answer are those of cluster/policies, which would make this program as large as Kubernetes' client.
type announcement struct {
	Container string     `json:"container"`
	Namespace string     `json:"namespace"`
	Pod       string     `json:"pod"`
	Address   netip.Addr `json:"address"`
}

type answer struct {
	Problem string `json:"problem"`
}

func main() {
	read := settings{}
	err := json.NewDecoder(os.Stdin).Decode(&read)
	if err == nil {
		err = run(read, os.Getenv("CNI_COMMAND"))
	}
	if err != nil {
		const other = 100 // codes from here on are the plugin's own
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": read.Version, "code": other, "msg": err.Error()})
		os.Exit(1)
	}
}

func run(read settings, command string) error {
	said := announcement{Container: os.Getenv("CNI_CONTAINERID")}
	switch command {
	case "VERSION":
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"cniVersion": read.Version, "supportedVersions": []string{"0.4.0", "1.0.0"},
		})
	case "ADD":
		arguments := map[string]string{}
		for argument := range strings.SplitSeq(os.Getenv("CNI_ARGS"), ";") {
			name, value, _ := strings.Cut(argument, "=")
			arguments[name] = value
		}
		said.Namespace, said.Pod = arguments["K8S_POD_NAMESPACE"], arguments["K8S_POD_NAME"]
		address, err := addressIn(read.Previous)
		if err != nil {
			return err
		}
		said.Address = address
		if err := announce(read, said); err != nil {
			return err
		}
		_, err = os.Stdout.Write(read.Previous)
		return err
	case "DEL":
		return announce(read, said)
	default: // CHECK and what later versions ask: there is nothing of the plugin's own
		return nil
	}
}

func addressIn(previous json.RawMessage) (netip.Addr, error) {
	result := struct {
		IPs []struct {
			Address netip.Prefix `json:"address"`
		} `json:"ips"`
	}{}
	if err := json.Unmarshal(previous, &result); err != nil {
		return netip.Addr{}, fmt.Errorf("result of the plugin before: %w", err)
	}
	if len(result.IPs) != 1 {
		return netip.Addr{}, fmt.Errorf("expected one address of the pod, got %d", len(result.IPs))
	}
	return result.IPs[0].Address.Addr(), nil
}

func announce(read settings, said announcement) error {
	if err := os.Chdir(read.Directory); err != nil {
		return err
	}
	connection, err := net.Dial("unix", read.Socket)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := json.NewEncoder(connection).Encode(said); err != nil {
		return err
	}
	heard := answer{}
	if err := json.NewDecoder(connection).Decode(&heard); err != nil && err != io.EOF {
		return err
	} else if err == io.EOF {
		return fmt.Errorf("the supervisor ended before the network policies of pod %s/%s were applied", said.Namespace, said.Pod)
	}
	if heard.Problem != "" {
		return fmt.Errorf("network policies: %s", heard.Problem)
	}
	return nil
}
