/** What translations are held to, format by format. A new format gets its row here. */

import { readMarkdown } from '../documents/markdown/reading.ts';
import type { MarkdownDialect } from '../documents/markdown/syntax.ts';
import type { GateRules, SyntaxNode } from './gate.ts';
import { htmlNodes } from './htmlNodes.ts';

/** The syntax of a document, or nothing where its reader finds it broken. */
const unlessBroken =
	(read: (text: string) => readonly SyntaxNode[]) =>
	(text: string): readonly SyntaxNode[] | undefined => {
		try {
			return read(text);
		} catch {
			// A translation that cannot be read is refused; a source that cannot is told of elsewhere.
			return undefined;
		}
	};

const markdown = (dialect: MarkdownDialect): GateRules => ({
	delimiters: '`*_[]{}<>|~',
	nodes: unlessBroken((text) => readMarkdown(text, dialect).nodes),
});

export const gateRules = {
	markdown: markdown('markdown'),
	mdx: markdown('mdx'),
	html: { nodes: unlessBroken((text) => htmlNodes(text)) },
} as const satisfies Readonly<Record<string, GateRules>>;
