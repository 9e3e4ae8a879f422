/** A block of code with its buttons. Colours come later, when the block is complete and in view. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import { useDiagram } from './diagram.tsx';
import type { ColouredPart } from './highlight.ts';
import { Icon, IconButton, type IconName } from './icons.tsx';
import { TurnContext, useChat } from './page.ts';

interface CodeBlockProps {
	readonly text: string;
	/** Info string of the fence. */
	readonly language: string;
	/** Whether no more text can come. */
	readonly closed: boolean;
}

export function CodeBlock({ text, language, closed }: CodeBlockProps): VNode {
	const { send, t, page } = useChat();
	const name = language.trim().split(/[\s{,]/)[0] ?? '';
	const isDifference = name === 'diff' || name === 'patch';
	const box = useRef<HTMLPreElement>(null);
	const figure = useRef<HTMLElement>(null);
	const diagram = useDiagram(text, closed && name === 'mermaid', figure);
	const isSourceShown = useMemo(() => signal(false), []);
	const isDrawn = diagram.value !== undefined && !isSourceShown.value;
	const coloured = useMemo(() => signal<readonly ColouredPart[] | undefined>(undefined), []);
	useEffect(() => {
		coloured.value = undefined;
		if (!closed || name === '' || isDifference || !box.current) return;
		let gone = false;
		const seen = new IntersectionObserver(async (entries) => {
			if (!entries.some((entry) => entry.isIntersecting)) return;
			seen.disconnect();
			const { highlight } = await import('./highlight.ts');
			const parts = await highlight(text, name);
			if (!gone) coloured.value = parts;
		});
		seen.observe(box.current);
		return () => {
			gone = true;
			seen.disconnect();
		};
	}, [text, name, closed, isDifference, coloured]);
	const isShell = shells.has(name.toLowerCase());
	const id = useContext(TurnContext);
	const more = useMemo(() => signal(false), []);
	const editor = page.value?.capabilities.editor ?? false;
	return (
		<figure class="code" ref={figure}>
			<figcaption>
				<span>{name || t('code')}</span>
				{diagram.value !== undefined && (
					<button
						type="button"
						class="link"
						aria-pressed={isSourceShown.value}
						onClick={() => {
							isSourceShown.value = !isSourceShown.value;
						}}
					>
						{t('diagramSource')}
					</button>
				)}
				{editor && <MainAction text={text} isShell={isShell} />}
				<CopyButton text={text} label={t('copy')} />
				{editor && (
					<button
						type="button"
						class="icon-button"
						aria-label={t(more.value ? 'hideActions' : 'moreActions')}
						title={t(more.value ? 'hideActions' : 'moreActions')}
						aria-expanded={more.value}
						onClick={() => {
							more.value = !more.value;
						}}
					>
						<Icon name="more" />
					</button>
				)}
			</figcaption>
			{more.value && (
				<div class="code-actions">
					{isShell && (
						<Action icon="apply" label={t('apply')} act={() => send({ type: 'apply', id, text })} />
					)}
					{(['insert', 'replace'] as const).map((type) => (
						<Action key={type} icon={type} label={t(type)} act={() => send({ type, text })} />
					))}
					<Action
						icon="newFile"
						label={t('newFile')}
						act={() => send({ type: 'newFile', text, language: name })}
					/>
				</div>
			)}
			{isDrawn && (
				// biome-ignore lint/a11y/noNoninteractiveTabindex: wide diagrams are scrolled with the keyboard
				<div class="diagram" tabIndex={0}>
					<img
						src={diagram.value}
						alt={t('diagram')}
						// What the browser cannot show stays code.
						onError={() => {
							diagram.value = undefined;
						}}
					/>
				</div>
			)}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard */}
			<pre ref={box} tabIndex={0} hidden={isDrawn}>
				<code>
					{isDifference
						? differenceLines(text)
						: (coloured.value?.map((part, index) => (
								<span key={index} style={part.colour ? { color: part.colour } : {}}>
									{part.text}
								</span>
							)) ?? text)}
				</code>
			</pre>
		</figure>
	);
}

/** Languages of blocks that belong into a terminal. */
const shells: ReadonlySet<string> = new Set(
	'sh bash shell zsh fish console shellscript shell-session powershell pwsh ps1 cmd bat'.split(' '),
);

/** What most people want of the block: commands go into the terminal, code into its file. */
function MainAction({ text, isShell }: { text: string; isShell: boolean }): VNode {
	const { send, t } = useChat();
	const id = useContext(TurnContext);
	return isShell ? (
		<button
			type="button"
			class="main-action"
			title={t('toTerminal')}
			onClick={() => send({ type: 'terminal', text })}
		>
			<Icon name="play" />
			<span>{t('terminal')}</span>
		</button>
	) : (
		<button
			type="button"
			class="main-action"
			aria-label={t('apply')}
			title={t('apply')}
			onClick={() => send({ type: 'apply', id, text })}
		>
			<Icon name="apply" />
			<span aria-hidden="true">{t('applyShort')}</span>
		</button>
	);
}

function Action(props: { icon: IconName; label: string; act: () => void }): VNode {
	return (
		<button type="button" class="secondary" onClick={props.act}>
			<Icon name={props.icon} />
			{props.label}
		</button>
	);
}

/** The lines of a difference, in the theme's colours of what comes and goes. */
function differenceLines(text: string): VNode[] {
	return text.split('\n').map((line, index, { length }) => {
		const kind = /^\+(?!\+\+ )/.test(line)
			? 'inserted'
			: /^-(?!-- )/.test(line)
				? 'deleted'
				: line.startsWith('@@')
					? 'place'
					: '';
		return (
			<span key={index} class={kind}>
				{index < length - 1 ? `${line}\n` : line}
			</span>
		);
	});
}

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }): VNode {
	const { send, t } = useChat();
	const done = useMemo(() => signal(false), []);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	const copy = () => {
		send({ type: 'copy', text });
		done.value = true;
		clearTimeout(timer.current);
		timer.current = setTimeout(() => {
			done.value = false;
		}, 1500);
	};
	return (
		<IconButton
			icon={done.value ? 'done' : 'copy'}
			label={done.value ? t('copied') : label}
			onClick={copy}
		/>
	);
}
