package main

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// answerYAML gives the JSON that kubectl and Helm read a YAML document as.
func answerYAML(line []byte, answer *answer) error {
	var request struct {
		Text   json.RawMessage
		Strict bool
	}
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	text, err := decodeValue(request.Text, "")
	if err != nil {
		return err
	}
	convert := yaml.YAMLToJSON
	if request.Strict {
		convert = yaml.YAMLToJSONStrict
	}
	output, err := convert([]byte(text.(string)))
	if err != nil {
		return err
	}
	answer.setOutput(string(output))
	return nil
}
