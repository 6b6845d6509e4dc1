package pki

import "encoding/json"

// kubeconfig has one context, named after the instance, and needs no other file. JSON is YAML too.
func kubeconfig(instance, server string, ca, client *pair) ([]byte, error) {
	key, err := keyPEM(client.key)
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	name := "tenon-" + instance
	return json.MarshalIndent(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"clusters": []object{{"name": name, "cluster": object{
			"server":                     server,
			"certificate-authority-data": ca.certificatePEM(),
		}}},
		"users": []object{{"name": name, "user": object{
			"client-certificate-data": client.certificatePEM(),
			"client-key-data":         key,
		}}},
		"contexts": []object{{"name": name, "context": object{"cluster": name, "user": name}}},
	}, "", "  ")
}
