/** A block of code with its buttons. Colours come later, when the block is complete and in view. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import type { ColouredPart } from './highlight.ts';
import { IconButton } from './icons.tsx';
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
	const turn = useContext(TurnContext);
	const editor = page.value?.capabilities.editor ?? false;
	return (
		<figure class="code">
			<figcaption>
				<span>{name || t('code')}</span>
				<CopyButton text={text} label={t('copy')} />
				{editor && (
					<>
						<IconButton
							icon="apply"
							label={t('apply')}
							onClick={() => send({ type: 'apply', id: turn, text })}
						/>
						<IconButton
							icon="insert"
							label={t('insert')}
							onClick={() => send({ type: 'insert', text })}
						/>
						<IconButton
							icon="replace"
							label={t('replace')}
							onClick={() => send({ type: 'replace', text })}
						/>
						<IconButton
							icon="newFile"
							label={t('newFile')}
							onClick={() => send({ type: 'newFile', text, language: name })}
						/>
					</>
				)}
			</figcaption>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard */}
			<pre ref={box} tabIndex={0}>
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
