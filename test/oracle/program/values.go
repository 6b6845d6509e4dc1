package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// decodeValue reads JSON as map[string]any and []any, with numbers as asked for. Beyond JSON, {"$bytes": BASE64} is the
// string of those bytes, which need not be UTF-8.
func decodeValue(text []byte, numbers string) (any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return convertValue(value, numbers)
}

func convertValue(value any, numbers string) (any, error) {
	switch value := value.(type) {
	case json.Number:
		return convertNumber(value, numbers)
	case []any:
		for index, item := range value {
			converted, err := convertValue(item, numbers)
			if err != nil {
				return nil, err
			}
			value[index] = converted
		}
		// How much room the decoder left at the end is an accident, which templates could see.
		return slices.Clip(value), nil
	case map[string]any:
		if text, isBytes := value["$bytes"].(string); isBytes && len(value) == 1 {
			decoded, err := base64.StdEncoding.DecodeString(text)
			return string(decoded), err
		}
		for key, item := range value {
			converted, err := convertValue(item, numbers)
			if err != nil {
				return nil, err
			}
			value[key] = converted
		}
	}
	return value, nil
}

func convertNumber(number json.Number, numbers string) (any, error) {
	switch numbers {
	case "", "float64":
		return number.Float64()
	case "int64":
		if !strings.ContainsAny(number.String(), ".eE") {
			if integer, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
				return integer, nil
			}
		}
		return number.Float64()
	case "number":
		return number, nil
	}
	return nil, fmt.Errorf("numbers cannot be %q", numbers)
}
