/** The lines of the transcript; the one that is heard is in view and marked. */

import { useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TranscriptLine, TranslatedLine } from '../../server/protocol/index.ts';
import { LineView } from './line.tsx';
import { useTranscript } from './transcriptState.ts';
import { createLineVisibility } from './visibleLines.ts';

/** Milliseconds after scrolling by hand during which the text does not follow the sound. */
const handsOffMs = 4000;

export function Lines(): VNode {
	const { lines, document, place, player, search, t } = useTranscript();
	const list = useRef<HTMLOListElement>(null);
	const scrolled = useRef(0);
	const nearness = useMemo(createLineVisibility, []);
	useEffect(() => () => nearness.close(), [nearness]);
	const cache = useMemo(() => new Map<number, Drawn>(), []);
	const show = (index: number, block: ScrollLogicalPosition) => {
		const reduced =
			matchMedia('(prefers-reduced-motion: reduce)').matches ||
			window.document.body.classList.contains('vscode-reduce-motion');
		list.current?.children[index]?.scrollIntoView({
			block,
			behavior: reduced ? 'auto' : 'smooth',
		});
	};
	useSignalEffect(() => {
		const { line } = place.value;
		if (!player.playing.value || line < 0) return;
		if (performance.now() - scrolled.current > handsOffMs) show(line, 'center');
	});
	useSignalEffect(() => {
		const found = search.current.value;
		if (!found) return;
		show(
			lines.peek().findIndex(({ id }) => id === found.line),
			'center',
		);
	});
	const translations = document.value?.translation?.lines;
	const shown = lines.value.map((line, index) => {
		const translation = translations?.[line.id];
		const known = cache.get(line.id);
		if (known?.index === index && same(known, line, translation, translations !== undefined))
			return known.vnode;
		const vnode = (
			<LineView
				key={line.id}
				index={index}
				line={line}
				nearness={nearness}
				translation={translation}
				sideBySide={translations !== undefined}
			/>
		);
		const drawn = { index, line, translation, sideBySide: translations !== undefined, vnode };
		cache.set(line.id, drawn);
		return vnode;
	});
	return (
		<ol
			class={translations ? 'lines side-by-side' : 'lines'}
			ref={list}
			aria-label={t('lines')}
			onWheel={() => {
				scrolled.current = performance.now();
			}}
			onTouchMove={() => {
				scrolled.current = performance.now();
			}}
		>
			{shown}
		</ol>
	);
}

/** What a line was drawn from: an equal line keeps its vnode and so costs nothing. */
interface Drawn {
	readonly index: number;
	readonly line: TranscriptLine;
	readonly translation: TranslatedLine | undefined;
	readonly sideBySide: boolean;
	readonly vnode: VNode;
}

function same(
	known: Drawn,
	line: TranscriptLine,
	translation: TranslatedLine | undefined,
	sideBySide: boolean,
): boolean {
	return (
		known.sideBySide === sideBySide &&
		known.line.text === line.text &&
		known.line.start === line.start &&
		known.line.sureness === line.sureness &&
		known.line.words[0]?.start === line.words[0]?.start &&
		known.line.words.at(-1)?.end === line.words.at(-1)?.end &&
		known.line.words[0]?.probability === line.words[0]?.probability &&
		known.translation?.text === translation?.text &&
		known.translation?.source === translation?.source
	);
}
