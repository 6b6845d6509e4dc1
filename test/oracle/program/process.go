package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"

	templatev1 "github.com/openshift/api/template/v1"
	"github.com/openshift/library-go/pkg/template/generator"
	"github.com/openshift/library-go/pkg/template/templateprocessing"
)

// answerProcess does what `oc process --local` does, and answers the objects as JSON.
func answerProcess(line []byte, answer *answer) error {
	var request struct {
		// A Template in JSON.
		Template   json.RawMessage
		Parameters map[string]string
		// Where it is false, a parameter that the template does not have is refused.
		IgnoreUnknownParameters bool
	}
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	var template templatev1.Template
	if err := json.Unmarshal(request.Template, &template); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(request.Parameters)) {
		parameter := templateprocessing.GetParameterByName(&template, name)
		if parameter == nil && !request.IgnoreUnknownParameters {
			return fmt.Errorf("unknown parameter name %q", name)
		}
		if parameter != nil {
			parameter.Value = request.Parameters[name]
			parameter.Generate = ""
		}
	}
	processor := templateprocessing.NewProcessor(map[string]generator.Generator{
		"expression": generator.NewExpressionValueGenerator(rand.New(rand.NewSource(1))),
	})
	if errs := processor.Process(&template); len(errs) > 0 {
		return errs.ToAggregate()
	}
	result, err := json.Marshal(map[string]any{"objects": template.Objects, "message": template.Message})
	if err != nil {
		return err
	}
	answer.setOutput(string(result))
	return nil
}
