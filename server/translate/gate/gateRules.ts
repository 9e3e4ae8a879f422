/** What translations are held to, format by format. A new format gets its row here. */

import { readMarkdown } from '../documents/markdown/reading.ts';
import type { MarkdownDialect } from '../documents/markdown/syntax.ts';
import type { GateRules } from './gate.ts';
import { htmlNodes } from './htmlNodes.ts';
import { htmlRules, unlessBroken } from './htmlRules.ts';
import { jsonNodes, poNodes, propertiesNodes, subtitleNodes, yamlNodes } from './messageNodes.ts';

const markdown = (dialect: MarkdownDialect): GateRules => ({
	delimiters: '`*_[]{}<>|~',
	nodes: unlessBroken((text) => readMarkdown(text, dialect).nodes),
});

export const gateRules = {
	markdown: markdown('markdown'),
	mdx: markdown('mdx'),
	html: htmlRules,
	json: { delimiters: '{}', nodes: unlessBroken(jsonNodes) },
	yaml: { delimiters: '{}', nodes: unlessBroken(yamlNodes) },
	properties: { delimiters: '{}', nodes: unlessBroken(propertiesNodes) },
	po: { delimiters: '{}', nodes: unlessBroken(poNodes) },
	subtitles: {
		delimiters: '<>{}',
		marks: /\{\\[^{}]*\}|<[^<>]*>|♪/g,
		nodes: unlessBroken(subtitleNodes),
	},
	xliff: { nodes: unlessBroken((text) => htmlNodes(text, true)) },
} as const satisfies Readonly<Record<string, GateRules>>;
