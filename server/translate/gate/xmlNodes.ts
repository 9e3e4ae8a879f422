/** The syntax of XML for the gate: tags with their attributes, comments, and what is said to stay as it is. */

import {
	contentOf,
	localName,
	readXml,
	type XmlElement,
	type XmlNode,
	xmlAttributes,
} from '../documents/xmlTree.ts';
import type { SyntaxNode } from './gate.ts';
import { htmlNodes } from './htmlNodes.ts';

/** What of a dialect comes, goes or changes with the words. Names are local ones. */
export interface XmlDialect {
	/** Elements whose tags come and go, such as runs; what is in them counts. */
	readonly runs?: ReadonlySet<string>;
	/** Elements that may go with all that is in them, such as how a run looks. */
	readonly looks?: ReadonlySet<string>;
	/** Elements that a translation is written into: neither their attributes nor their content counts. */
	readonly targets?: ReadonlySet<string>;
	/** Elements whose content stays, words and all. */
	readonly code?: ReadonlySet<string>;
	/** Attributes that hold words, by their local names. */
	readonly words?: ReadonlySet<string>;
}

/**
 * Tags, comments and code of a document in their order.
 *
 * @throws XmlError when it is not well-formed
 */
export function xmlNodes(text: string, dialect: XmlDialect = {}): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	const rest: { readonly of: XmlElement; next: number }[] = [{ of: readXml(text), next: 0 }];
	for (let top = rest.at(-1); top; top = rest.at(-1)) {
		const child = top.of.children[top.next++];
		if (child === undefined) {
			rest.pop();
			const isOpen = top.of.name !== '' && !dialect.runs?.has(localName(top.of));
			if (isOpen && top.of.contentEnd < top.of.end)
				nodes.push({ at: top.of.contentEnd, node: `</${top.of.name}>` });
		} else if (child.kind !== 'element') leaf(text, child, nodes);
		else if (!dialect.looks?.has(localName(child))) {
			tag(text, child, dialect, nodes);
			if (!isWhole(child, dialect)) rest.push({ of: child, next: 0 });
		}
	}
	return nodes;
}

/** Elements whose content is not looked into. */
function isWhole(element: XmlElement, { targets, code }: XmlDialect): boolean {
	const name = localName(element);
	return element.content === element.end || targets?.has(name) === true || code?.has(name) === true;
}

function tag(text: string, element: XmlElement, dialect: XmlDialect, nodes: SyntaxNode[]): void {
	const name = localName(element);
	if (dialect.runs?.has(name)) return;
	const at = element.start;
	if (dialect.targets?.has(name)) nodes.push({ at, node: `<${element.name}>` });
	else {
		const kept = xmlAttributes(text, element).map(({ name: key, value }) =>
			dialect.words?.has(key.slice(key.indexOf(':') + 1)) && value.trim() !== ''
				? `${key}=…`
				: `${key}=${value}`,
		);
		const code = dialect.code?.has(name) ? contentOf(text, element) : '';
		nodes.push({ at, node: `<${[element.name, ...kept.sort()].join(' ')}>${code}` });
	}
}

function leaf(text: string, { kind, start, end }: XmlNode, nodes: SyntaxNode[]): void {
	if (kind === 'other') nodes.push({ at: start, node: text.slice(start, end) });
	else if (kind === 'cdata') {
		nodes.push({ at: start, node: 'CDATA' });
		const from = start + '<![CDATA['.length;
		for (const { at, node } of htmlNodes(text.slice(from, end - ']]>'.length)))
			nodes.push({ at: from + at, node });
	}
}

export const androidNodes = (text: string): SyntaxNode[] =>
	xmlNodes(text, { code: new Set(['g']) });

export const qtNodes = (text: string): SyntaxNode[] =>
	xmlNodes(text, { targets: new Set(['translation']) });

const office = {
	runs: new Set(['r', 't']),
	looks: new Set(
		'rPr proofErr lastRenderedPageBreak rPh phoneticPr ruby softHyphen noBreakHyphen'.split(' '),
	),
	targets: new Set(['tblCaption', 'tblDescription']),
	code: new Set(['instrText', 'delText', 'f', 'oMath', 'oMathPara']),
	// The last says where in a text somebody is named.
	words: new Set(
		'descr title prompt promptTitle error errorTitle tooltip displayText alt string startIndex'.split(
			' ',
		),
	),
};

/** Parts of Office files: what words stand in, without how they look. */
export const officeNodes = (text: string): SyntaxNode[] => xmlNodes(text, office);

const openDocument = {
	looks: new Set(['ruby']),
	targets: new Set(['label']),
	words: new Set(['title', 'description', 'label']),
};

/** Parts of OpenDocument files; readings go with the words that they are above. */
export const openDocumentNodes = (text: string): SyntaxNode[] => xmlNodes(text, openDocument);

/** Pages of books are HTML that is well-formed. */
export function pageNodes(text: string): SyntaxNode[] {
	readXml(text);
	return htmlNodes(text, true);
}
