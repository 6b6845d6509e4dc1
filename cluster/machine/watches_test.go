package machine

import (
	"errors"
	"testing"

	"tenon.dev/cluster/instance"
)

func TestTooFewWatchesAreSaidBeforehand(t *testing.T) {
	if err := requireWatches(0); err != nil {
		t.Error(err)
	}
	// No machine has a million.
	if fault, isFault := errors.AsType[instance.Fault](requireWatches(1_000_000)); !isFault || fault.Next == "" {
		t.Errorf("got %v", fault)
	}
	if err := requireWatches(0); err != nil {
		t.Errorf("they are not given back: %v", err)
	}
}
