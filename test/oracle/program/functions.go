package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"text/template"
	_ "unsafe" // for go:linkname

	sprig2 "github.com/Masterminds/sprig"
	sprig3 "github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/engine"
	"tenon.dev/xstrings"
)

// Helm's engine has no door to the functions it gives a chart's templates. This is the method it calls before it parses
// a chart, and the two functions that depend on the template they are called in.

//go:linkname helmInitFunMap helm.sh/helm/v3/pkg/engine.Engine.initFunMap
func helmInitFunMap(e engine.Engine, t *template.Template)

//go:linkname helmInclude helm.sh/helm/v3/pkg/engine.includeFun
func helmInclude(t *template.Template, includedNames map[string]int) func(string, any) (string, error)

//go:linkname helmTpl helm.sh/helm/v3/pkg/engine.tplFun
func helmTpl(parent *template.Template, includedNames map[string]int, strict bool) func(string, any) (string, error)

// Empty templates by the functions they know: making a function map takes longer than an ordinary request.
var roots = map[string]*template.Template{
	"":      template.New("oracle"),
	"go":    template.New("oracle"),
	"plug":  template.New("oracle").Funcs(sprig2.TxtFuncMap()).Funcs(template.FuncMap{"camelcase": xstrings.ToCamelCase}),
	"sprig": template.New("oracle").Funcs(sprig3.TxtFuncMap()),
	"helm":  helmRoot(),
}

func helmRoot() *template.Template {
	root := template.New("oracle")
	helmInitFunMap(engine.Engine{}, root)
	return root
}

func newRoot(functions string) (*template.Template, error) {
	known, exists := roots[functions]
	if !exists {
		return nil, fmt.Errorf("there are no functions %q", functions)
	}
	root, err := known.Clone()
	if err != nil {
		return nil, err
	}
	if functions == "helm" {
		names := map[string]int{}
		root.Funcs(template.FuncMap{"include": helmInclude(root, names), "tpl": helmTpl(root, names, false)})
	}
	return root, nil
}

// answerFunctions lists the functions of a set with their Go types.
func answerFunctions(line []byte, answer *answer) error {
	var request struct{ Functions string }
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	types := map[string]string{}
	for name, function := range functionMaps[request.Functions]() {
		types[name] = reflect.TypeOf(function).String()
	}
	text, err := json.Marshal(types)
	if err != nil {
		return err
	}
	answer.setOutput(string(text))
	return nil
}

// Helm's has no type for what depends on the template: these are the placeholders that it replaces.
var functionMaps = map[string]func() template.FuncMap{
	"go":    func() template.FuncMap { return nil },
	"plug":  sprig2.TxtFuncMap,
	"sprig": sprig3.TxtFuncMap,
	"helm":  helmFuncMap,
}

//go:linkname helmFuncMap helm.sh/helm/v3/pkg/engine.funcMap
func helmFuncMap() template.FuncMap
