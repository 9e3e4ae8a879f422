/** Markdown as vnodes. Raw HTML of the text is shown as text; there is no HTML string anywhere. */

import { type Signal, useComputed } from '@preact/signals';
import type { Token, Tokens } from 'marked';
import { Component, type ComponentChildren, type VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { CodeBlock } from './code.tsx';
import { isFileReference } from './fileReference.ts';
import { FormulaView } from './formula.tsx';
import {
	type Details,
	type Footnote,
	type FootnoteMark,
	type Formula as FormulaToken,
	headingLevels,
	type MarkdownBlocks,
	noBlocks,
	readBlocks,
} from './markdownBlocks.ts';
import { useChat } from './page.ts';

/** Text that may still grow. */
export function Markdown({ text }: { text: Signal<string> }): VNode {
	const before = useRef<MarkdownBlocks>(noBlocks);
	const blocks = useComputed(() => {
		before.current = readBlocks(text.value, before.current);
		return before.current.tokens;
	});
	const levels = headingLevels(blocks.value);
	const last = blocks.value.length - 1;
	// What has not changed is the same node again, which is not even compared.
	const drawn = useRef<readonly (BlockProps & { readonly node: VNode })[]>([]);
	drawn.current = blocks.value.map((token, index) => {
		const props = { token, closed: index < last, level: levels[index] };
		const known = drawn.current[index];
		if (known?.token === token && known.closed === props.closed && known.level === props.level)
			return known;
		return { ...props, node: <Block key={index} {...props} /> };
	});
	return <div class="markdown">{drawn.current.map(({ node }) => node)}</div>;
}

interface BlockProps {
	readonly token: Token;
	readonly closed: boolean;
	/** Of a heading, as it is drawn. */
	readonly level?: number | undefined;
}

/** One top-level block; redrawn only when its own text changes. */
class Block extends Component<BlockProps> {
	override shouldComponentUpdate(next: BlockProps): boolean {
		const { token, closed, level } = this.props;
		return next.token.raw !== token.raw || next.closed !== closed || next.level !== level;
	}

	override render() {
		return block(this.props.token, this.props.closed, this.props.level);
	}
}

function block(token: Token, closed: boolean, level = 6): ComponentChildren {
	switch (token.type) {
		case 'space':
		case 'def':
			return null;
		case 'heading': {
			const Level = `h${level}` as 'h3';
			return <Level>{inline(token.tokens)}</Level>;
		}
		case 'paragraph':
			return <p>{inline(token.tokens)}</p>;
		case 'code': {
			const { text, lang } = token as Tokens.Code;
			const fenced = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
			const ended = !fenced || token.raw.trimEnd().endsWith(fenced);
			return <CodeBlock text={text} language={lang ?? ''} closed={closed || ended} />;
		}
		case 'blockquote':
			return <blockquote>{blocksOf(token.tokens)}</blockquote>;
		case 'list':
			return list(token as Tokens.List);
		case 'table':
			return table(token as Tokens.Table);
		case 'hr':
			return <hr />;
		case 'checkbox':
			return checkbox(token as Tokens.Checkbox);
		case 'footnote': {
			const { label, tokens } = token as Footnote;
			return (
				<div class="footnotes">
					<sup>{label}</sup> {inline(tokens)}
				</div>
			);
		}
		case 'details': {
			const { summary, tokens } = token as Details;
			return (
				<details>
					<summary>{inline(summary)}</summary>
					{blocksOf(tokens)}
				</details>
			);
		}
		case 'html':
			return <p>{token.raw}</p>;
		default:
			return <p>{'tokens' in token ? inline(token.tokens) : (token as Token).raw}</p>;
	}
}

function blocksOf(tokens: readonly Token[] = []): ComponentChildren {
	return tokens.map((token, index) =>
		token.type === 'text' ? (
			<span key={index}>{inline(token.tokens ?? [token])}</span>
		) : (
			<Block key={index} token={token} closed />
		),
	);
}

function list({ ordered, start, items }: Tokens.List): VNode {
	const rows = items.map((item, index) => <li key={index}>{blocksOf(item.tokens)}</li>);
	if (ordered) return <ol start={typeof start === 'number' ? start : 1}>{rows}</ol>;
	return <ul>{rows}</ul>;
}

function table({ header, rows, align }: Tokens.Table): VNode {
	const side = (index: number) => align[index] ?? undefined;
	return (
		<div class="table">
			<table>
				<thead>
					<tr>
						{header.map((cell, index) => (
							<th key={index} data-align={side(index)}>
								{inline(cell.tokens)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, place) => (
						<tr key={place}>
							{row.map((cell, index) => (
								<td key={index} data-align={side(index)}>
									{inline(cell.tokens)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function inline(tokens: readonly Token[] = []): ComponentChildren {
	return tokens.map((token, index) => <Inline key={index} token={token} />);
}

function Inline({ token }: { token: Token }): ComponentChildren {
	switch (token.type) {
		case 'strong':
			return <strong>{inline(token.tokens)}</strong>;
		case 'em':
			return <em>{inline(token.tokens)}</em>;
		case 'del':
			return <del>{inline(token.tokens)}</del>;
		case 'codespan':
			return <CodeSpan words={(token as Tokens.Codespan).text} />;
		case 'br':
			return <br />;
		case 'checkbox':
			return checkbox(token as Tokens.Checkbox);
		case 'maths': {
			const { tex, isBlock } = token as FormulaToken;
			return <FormulaView tex={tex} isBlock={isBlock} />;
		}
		case 'footnoteMark':
			return <sup>{(token as FootnoteMark).label}</sup>;
		case 'link':
			return link(token as Tokens.Link);
		case 'image': {
			const { href, text } = token as Tokens.Image;
			// Pictures from elsewhere would tell their server who reads this.
			if (/^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(href))
				return <img src={href} alt={text} />;
			return link({ href, tokens: [{ type: 'text', raw: text || href, text: text || href }] });
		}
		case 'escape':
			return (token as Tokens.Escape).text;
		case 'text':
			return token.tokens ? inline(token.tokens) : entities((token as Tokens.Text).text);
		default:
			return token.raw;
	}
}

const checkbox = ({ checked }: Pick<Tokens.Checkbox, 'checked'>): VNode => (
	<input type="checkbox" checked={checked} disabled />
);

/** Code within a line; what is written like a file of the workspace opens it. */
function CodeSpan({ words }: { words: string }): VNode {
	const { page, send } = useChat();
	const code = <code>{words}</code>;
	if (!page.value?.capabilities.editor || !isFileReference(words)) return code;
	return (
		<button
			type="button"
			class="file-reference"
			onClick={() => send({ type: 'openFile', path: words })}
		>
			{code}
		</button>
	);
}

/** Only web links are links, and the host opens them; a path of the workspace is opened there. */
function link({ href, tokens }: Pick<Tokens.Link, 'href' | 'tokens'>): VNode {
	const path = href.replace(/^\.\//, '').replace(/#L(\d+).*$/, ':$1');
	if (isFileReference(path)) return <FileLink path={path} tokens={tokens} />;
	if (!/^https?:\/\//i.test(href)) return <span>{inline(tokens)}</span>;
	return (
		<a href={href} title={href}>
			{inline(tokens)}
		</a>
	);
}

function FileLink({ path, tokens }: { path: string; tokens: readonly Token[] }): VNode {
	const { page, send } = useChat();
	if (!page.value?.capabilities.editor) return <span>{inline(tokens)}</span>;
	return (
		<button type="button" class="file-reference" onClick={() => send({ type: 'openFile', path })}>
			{inline(tokens)}
		</button>
	);
}

const named: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		amp: '&',
		lt: '<',
		gt: '>',
		quot: '"',
		apos: "'",
		nbsp: '\u00a0',
	}),
);

/** Character references of Markdown text, as the browser would read them in HTML. */
function entities(text: string): string {
	return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (all, decimal, hex, name) => {
		if (name) return named.get(name) ?? all;
		const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
	});
}
