package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"unicode/utf8"
)

// The operations by name. Each gets its whole request, and either fills in the answer or returns an error.
var operations = map[string]func(request []byte, answer *answer) error{
	"template":  answerTemplate,
	"yaml":      answerYAML,
	"chart":     answerChart,
	"functions": answerFunctions,
	"process":   answerProcess,
	"verify":    answerVerify,
}

type answer struct {
	ID json.RawMessage `json:"id,omitempty"`

	Output       *string `json:"output,omitempty"`
	OutputBase64 string  `json:"outputBase64,omitempty"`

	Error       *string `json:"error,omitempty"`
	ErrorBase64 string  `json:"errorBase64,omitempty"`
	Phase       string  `json:"phase,omitempty"`
	Panic       bool    `json:"panic,omitempty"`

	// Of a chart, beside the output.
	Manifest string `json:"manifest,omitempty"`
	Hooks    []hook `json:"hooks,omitempty"`
	Notes    string `json:"notes,omitempty"`
}

// JSON cannot carry bytes that are not UTF-8: those travel in base64.
func (a *answer) setOutput(text string) {
	if utf8.ValidString(text) {
		a.Output = &text
	} else {
		a.OutputBase64 = base64.StdEncoding.EncodeToString([]byte(text))
	}
}

func (a *answer) setError(text string) {
	if utf8.ValidString(text) {
		a.Error = &text
	} else {
		a.ErrorBase64 = base64.StdEncoding.EncodeToString([]byte(text))
	}
}

func serve(in io.Reader, out io.Writer) {
	log.SetOutput(io.Discard)
	// A value that contains itself overflows the stack, which Go cannot recover from: dying sooner is all one can do.
	debug.SetMaxStack(256 << 20)
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if err := encoder.Encode(answerRequest(line)); err != nil {
				panic(err)
			}
		}
		// At once, so that after a death it is known which request was not answered.
		writer.Flush()
		if err != nil {
			return
		}
		if unfit {
			os.Exit(3)
		}
	}
}

func answerRequest(line []byte) (result *answer) {
	result = &answer{}
	var request struct {
		Op string
		ID json.RawMessage
	}
	defer func() {
		if reason := recover(); reason != nil {
			result = &answer{ID: request.ID, Panic: true}
			result.setError(fmt.Sprint(reason))
		}
	}()
	if err := json.Unmarshal(line, &request); err != nil {
		result.setError("the request is not JSON: " + err.Error())
		return result
	}
	result.ID = request.ID
	operation, known := operations[request.Op]
	if !known {
		result.setError(fmt.Sprintf("there is no operation %q", request.Op))
		return result
	}
	if err := operation(line, result); err != nil {
		result.setError(err.Error())
	}
	return result
}
