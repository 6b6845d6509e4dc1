package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/release"
)

type chartRequest struct {
	// One of these: files by path, in base64; a directory; a packed chart.
	Files     map[string]string
	Directory string
	Archive   string

	Values     []string
	Set        []string
	SetString  []string
	SetJSON    []string `json:"setJson"`
	SetLiteral []string

	Release struct {
		Name      string
		Namespace string
		IsUpgrade bool
	}
	KubeVersion          string
	APIVersions          []string
	IncludeCRDs          bool
	SkipTests            bool
	NoHooks              bool
	RenderSubchartNotes  bool
	SkipSchemaValidation bool
}

type hook struct {
	Name     string              `json:"name"`
	Kind     string              `json:"kind"`
	Path     string              `json:"path"`
	Manifest string              `json:"manifest"`
	Events   []release.HookEvent `json:"events"`
	Weight   int                 `json:"weight"`
}

// answerChart does what `helm template` does, by the same calls in the same order, and answers what it prints.
func answerChart(line []byte, answer *answer) error {
	var request chartRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "oracle-chart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	rel, err := renderChart(request, scratch)
	if err != nil {
		if rel != nil {
			err = fmt.Errorf("%w\n\nUse --debug flag to render out invalid YAML", err)
		}
		return errors.New(strings.ReplaceAll(err.Error(), scratch+"/", ""))
	}
	answer.setOutput(printRelease(rel, request))
	answer.Manifest = rel.Manifest
	answer.Notes = rel.Info.Notes
	for _, h := range rel.Hooks {
		answer.Hooks = append(answer.Hooks, hook{h.Name, h.Kind, h.Path, h.Manifest, h.Events, h.Weight})
	}
	return nil
}

func renderChart(request chartRequest, scratch string) (*release.Release, error) {
	install := action.NewInstall(&action.Configuration{Log: func(string, ...any) {}})
	if request.KubeVersion != "" {
		version, err := chartutil.ParseKubeVersion(request.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("invalid kube version '%s': %s", request.KubeVersion, err)
		}
		install.KubeVersion = version
	}
	install.DryRunOption = "true"
	install.DryRun = true
	install.Replace = true
	install.ClientOnly = true
	install.APIVersions = chartutil.VersionSet(request.APIVersions)
	install.IncludeCRDs = request.IncludeCRDs
	install.IsUpgrade = request.Release.IsUpgrade
	install.SubNotes = request.RenderSubchartNotes
	install.SkipSchemaValidation = request.SkipSchemaValidation
	install.ReleaseName = orElse(request.Release.Name, "release-name")
	install.Namespace = orElse(request.Release.Namespace, "default")
	path, err := chartPath(request, scratch)
	if err != nil {
		return nil, err
	}
	given, err := mergeValues(request, scratch)
	if err != nil {
		return nil, err
	}
	chart, err := loader.Load(path)
	if err != nil {
		return nil, err
	}
	if kind := chart.Metadata.Type; kind != "" && kind != "application" {
		return nil, fmt.Errorf("%s charts are not installable", kind)
	}
	if required := chart.Metadata.Dependencies; required != nil {
		if err := action.CheckDependencies(chart, required); err != nil {
			return nil, fmt.Errorf("An error occurred while checking for chart dependencies. "+
				"You may need to run `helm dependency build` to fetch missing dependencies: %w", err)
		}
	}
	return install.Run(chart, given)
}

func printRelease(rel *release.Release, request chartRequest) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, strings.TrimSpace(rel.Manifest))
	if request.NoHooks {
		return out.String()
	}
	for _, h := range rel.Hooks {
		if request.SkipTests && slices.Contains(h.Events, release.HookTest) {
			continue
		}
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", h.Path, h.Manifest)
	}
	return out.String()
}

// chartPath writes files of a request into a directory, since only a directory obeys .helmignore.
func chartPath(request chartRequest, scratch string) (string, error) {
	if request.Directory != "" || request.Archive != "" {
		return request.Directory + request.Archive, nil
	}
	directory := filepath.Join(scratch, "chart")
	for name, text := range request.Files {
		content, err := decodeBase64(text)
		if err != nil {
			return "", err
		}
		path := filepath.Join(directory, filepath.Clean("/"+name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return "", err
		}
	}
	return directory, nil
}

func mergeValues(request chartRequest, scratch string) (map[string]any, error) {
	options := values.Options{
		Values:        request.Set,
		StringValues:  request.SetString,
		JSONValues:    request.SetJSON,
		LiteralValues: request.SetLiteral,
	}
	for index, text := range request.Values {
		path := filepath.Join(scratch, fmt.Sprintf("values-%d.yaml", index))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
		options.ValueFiles = append(options.ValueFiles, path)
	}
	return options.MergeValues(getter.All(cli.New()))
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
