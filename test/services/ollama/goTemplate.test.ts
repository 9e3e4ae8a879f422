import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate } from '../../../server/services/ollama/goTemplate.ts';

const values = { System: 'S', Prompt: 'P', Suffix: '' };

test('fields, conditions, trimming and comments are as Go writes them', () => {
	for (const [template, wanted] of [
		['', ''],
		['plain }} text', 'plain }} text'],
		['{{ .System }}|{{.Prompt}}|{{ .Suffix }}|', 'S|P||'],
		['a {{- /* note */ -}} b', 'ab'],
		['a  {{- .Prompt -}}  b', 'aPb'],
		['{{ if .Suffix }}1{{ else if .System }}2{{ else }}3{{ end }}', '2'],
		['{{ if .Suffix }}{{ if .System }}1{{ end }}{{ else }}3{{ end }}', '3'],
		['{{ if not .Suffix }}{{ if and .System .Prompt }}1{{ else }}2{{ end }}{{ end }}', '1'],
		['{{ if or .Suffix .Prompt }}x{{ end }}{{ if and .Suffix .Prompt }}y{{ end }}', 'x'],
		['{{ .Prompt }} then {{ .Response }} never', 'P then '],
	] as const)
		assert.equal(fillTemplate(template, values), wanted, template);
});

test('what is not understood is refused by name', () => {
	for (const [template, named] of [
		['{{ range .Messages }}x{{ end }}', /range \.Messages/],
		['{{ .Prompt', /without end/],
		['{{ if .System }}x', /if without end/],
		['{{ end }}', /'end'/],
		['{{ else }}', /'else'/],
		['{{ if .System }}{{ else with .X }}{{ end }}', /else with/],
		['{{ .Other }}', /\.Other/],
		['{{ if (eq .System "x") }}{{ end }}', /eq/],
		['{{ .toString }}', /toString/],
	] as const)
		assert.throws(() => fillTemplate(template, values), named, template);
});

test('a template of nothing but openings takes no time', () => {
	assert.throws(() => fillTemplate('{{'.repeat(30_000), values), /without end/);
	assert.throws(() => fillTemplate(`${'{{ if .System }}'.repeat(4000)}`, values), /without end/);
});
