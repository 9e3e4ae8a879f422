/** What translations are held to, format by format. A new format gets its row here. */

import { delimiterOf } from '../documents/delimitedRows.ts';
import { markdownNodes } from '../documents/markdown/reading.ts';
import type { MarkdownDialect } from '../documents/markdown/syntax.ts';
import { withoutQuotedArguments } from '../documents/messageApostrophes.ts';
import { wordlessTokens } from '../protect.ts';
import type { GateRules } from './gate.ts';
import { htmlNodes } from './htmlNodes.ts';
import { htmlRules, unlessBroken } from './htmlRules.ts';
import { jsonNodes, poNodes, propertiesNodes, subtitleNodes, yamlNodes } from './messageNodes.ts';
import { asciiDocNodes, rstNodes } from './proseNodes.ts';
import {
	appleNodes,
	catalogNodes,
	fluentNodes,
	phpNodes,
	tableNodes,
	tomlNodes,
} from './softwareNodes.ts';
import {
	androidNodes,
	officeNodes,
	openDocumentNodes,
	pageNodes,
	qtNodes,
	xmlNodes,
} from './xmlNodes.ts';

const markdown = (dialect: MarkdownDialect): GateRules => ({
	delimiters: '`*_[]{}<>|~',
	brackets: ['[]', '{}'],
	marks: wordlessTokens,
	nodes: unlessBroken((text) => markdownNodes(text, dialect)),
});

export const gateRules = {
	markdown: markdown('markdown'),
	mdx: markdown('mdx'),
	html: htmlRules,
	plainText: { marks: wordlessTokens },
	// In vue-i18n a bar between blanks parts the forms of a plural.
	json: {
		delimiters: '{}|',
		written: withoutQuotedArguments,
		nodes: unlessBroken(jsonNodes),
	},
	yaml: { delimiters: '{}', written: withoutQuotedArguments, nodes: unlessBroken(yamlNodes) },
	properties: {
		delimiters: '{}',
		written: withoutQuotedArguments,
		nodes: unlessBroken(propertiesNodes),
	},
	po: { delimiters: '{}', nodes: unlessBroken(poNodes) },
	subtitles: {
		delimiters: '<>{}',
		marks: /\{\\[^{}\r\n]*\}|<[^<>\r\n]*>|♪/g,
		nodes: unlessBroken(subtitleNodes),
	},
	rst: {
		// A backslash takes its meaning from the mark behind it.
		delimiters: '`*|\\',
		marks: /(?<=[\p{L}\p{N}])__?(?![\p{L}\p{N}_])|::\s*$/gu,
		nodes: unlessBroken(rstNodes),
	},
	asciiDoc: {
		delimiters: '`*_#+|{}[]^~',
		brackets: ['[]', '{}'],
		marks: /:{2,4}(?=\s|$)|;;(?=\s|$)| \+$/g,
		nodes: unlessBroken(asciiDocNodes),
	},
	toml: { delimiters: '{}', nodes: unlessBroken(tomlNodes) },
	// A bar parts the forms of a plural.
	php: { delimiters: '|', conversions: true, nodes: unlessBroken(phpNodes) },
	fluent: { nodes: unlessBroken(fluentNodes) },
	strings: { conversions: true, nodes: unlessBroken(appleNodes) },
	stringsdict: { conversions: true, nodes: unlessBroken((text) => xmlNodes(text)) },
	stringCatalog: { conversions: true, nodes: unlessBroken(catalogNodes) },
	android: { conversions: true, nodes: unlessBroken(androidNodes) },
	resx: { delimiters: '{}', nodes: unlessBroken((text) => xmlNodes(text)) },
	qt: { nodes: unlessBroken(qtNodes) },
	// What a cell begins with may make it a formula.
	csv: { delimiters: '\n', marks: /^[=+\-@\t\r]/g, nodes: unlessBroken(tableNodes(delimiterOf)) },
	tsv: { delimiters: '\n', marks: /^[=+\-@\t\r]/g, nodes: unlessBroken(tableNodes(() => '\t')) },
	office: { nodes: unlessBroken(officeNodes) },
	openDocument: { nodes: unlessBroken(openDocumentNodes) },
	page: { nodes: unlessBroken(pageNodes) },
	xml: { nodes: unlessBroken((text) => xmlNodes(text)) },
	xliff: { nodes: unlessBroken((text) => htmlNodes(text, true)) },
} as const satisfies Readonly<Record<string, GateRules>>;
