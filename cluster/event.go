package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"tenon.dev/cluster/instance"
)

// event is one line of JSON on the supervisor's standard output, read by `tenon cluster start`.
type event struct {
	Event    string             `json:"event"` // progress, ready or failed
	Message  string             `json:"message,omitempty"`
	Next     string             `json:"next,omitempty"`
	Millis   int64              `json:"ms"`
	Instance *instance.Instance `json:"instance,omitempty"`
}

func (e event) emit() { _ = json.NewEncoder(os.Stdout).Encode(e) }

func failed(err error, dir string) event {
	if fault, isFault := errors.AsType[instance.Fault](err); isFault {
		return event{Event: "failed", Message: fault.What, Next: fault.Next}
	}
	return event{Event: "failed", Message: err.Error(), Next: "see the logs in " + filepath.Join(dir, instance.LogDir)}
}
