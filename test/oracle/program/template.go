package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"text/template"
	"time"
)

const (
	timeLimit   = 5 * time.Second
	memoryLimit = 1 << 30
)

type templateRequest struct {
	Templates  namedTexts
	Entry      string
	Data       json.RawMessage
	JSON       string
	Numbers    string
	Functions  string
	Left       string
	Right      string
	MissingKey string
}

// namedTexts keeps the order of the JSON object: a template that is defined twice is the last one.
type namedTexts []namedText

type namedText struct{ name, text string }

func (t *namedTexts) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		decoded, err := convertValue(value, "")
		if err != nil {
			return err
		}
		*t = append(*t, namedText{name.(string), decoded.(string)})
	}
	return nil
}

func answerTemplate(line []byte, answer *answer) error {
	var request templateRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	if request.JSON != "" {
		request.Data = json.RawMessage(request.JSON)
	}
	data, err := decodeValue(request.Data, request.Numbers)
	if err != nil {
		return err
	}
	root, err := parseTemplates(request)
	if err != nil {
		answer.Phase = "parse"
		return err
	}
	output, err := executeInTime(root, request.Entry, data)
	if err != nil {
		answer.Phase = "execute"
		var panicked panicError
		answer.Panic = errors.As(err, &panicked)
		return err
	}
	answer.setOutput(output)
	return nil
}

func parseTemplates(request templateRequest) (*template.Template, error) {
	root, err := newRoot(request.Functions)
	if err != nil {
		return nil, err
	}
	root.Delims(request.Left, request.Right)
	if request.MissingKey != "" {
		root.Option("missingkey=" + request.MissingKey)
	}
	for _, named := range request.Templates {
		if _, err := root.New(named.name).Parse(named.text); err != nil {
			return nil, err
		}
	}
	return root, nil
}

type panicError struct{ reason any }

func (e panicError) Error() string { return fmt.Sprint(e.reason) }

// unfit is set when something runs on that nothing can stop; who asks has to start the oracle anew.
var unfit = false

// executeInTime gives up on a template that takes too much processor time or memory.
func executeInTime(root *template.Template, entry string, data any) (string, error) {
	type result struct {
		output string
		err    error
	}
	done := make(chan result, 1)
	begin := processorTime()
	var writer strings.Builder
	go func() {
		var ended result
		defer func() {
			if reason := recover(); reason != nil {
				ended.err = panicError{reason}
			}
			done <- ended
		}()
		ended.err = root.ExecuteTemplate(&writer, entry, data)
		ended.output = writer.String()
	}()
	watch := time.NewTicker(20 * time.Millisecond)
	defer watch.Stop()
	for {
		select {
		case ended := <-done:
			return ended.output, ended.err
		case <-watch.C:
			if processorTime()-begin > timeLimit.Nanoseconds() {
				unfit = true
				return "", errTimeout
			}
			if usedMemory() > memoryLimit {
				unfit = true
				return "", errors.New("out of memory")
			}
		}
	}
}

func usedMemory() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

var errTimeout = errors.New("timeout")

// decodeBase64 is for the fields of a request that are files.
func decodeBase64(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }
