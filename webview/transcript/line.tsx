/** One line: its time, its words, which can be clicked, its translation, and its correction in place. */

import { useComputed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import {
	linePieces,
	shortClock,
	type TranscriptLine,
	type TranslatedLine,
} from '../../server/protocol/index.ts';
import { IconButton } from '../icons.tsx';
import { LineEditor } from './lineEditor.tsx';
import { SpeakerName } from './speakerName.tsx';
import type { Match } from './transcriptSearch.ts';
import { useTranscript } from './transcriptState.ts';
import type { LineVisibility } from './visibleLines.ts';

interface LineProps {
	readonly index: number;
	readonly line: TranscriptLine;
	readonly nearness: LineVisibility;
	readonly translation: TranslatedLine | undefined;
	/** Whether there is a column for translations. */
	readonly sideBySide: boolean;
}

export function LineView({ index, line, nearness, translation, sideBySide }: LineProps): VNode {
	const { place, player, editing, search, document, send, t } = useTranscript();
	const item = useRef<HTMLLIElement>(null);
	const near = useSignal(false);
	useLayoutEffect(() => {
		if (!item.current) return;
		const watched = nearness.watch(item.current);
		const end = watched.near.subscribe((value) => {
			near.value = value;
		});
		return () => {
			end();
			watched.end();
		};
	}, [nearness, near]);
	const active = useComputed(() => place.value.line === index);
	/** The word that is heard, only while it is in this line. */
	const word = useComputed(() => (place.value.line === index ? place.value.word : -1));
	const edited = useComputed(() => editing.value === line.id);
	const matches = useComputed(() => search.byLine.value.get(line.id) ?? noMatches);
	const current = useComputed(() => {
		const found = search.current.value;
		return found?.line === line.id ? found : undefined;
	});
	const doubt = doubtOfLine(line);
	const sureness = doubtText(line, t);
	const time = shortClock(line.start);
	const text = matches.value.filter(({ translated }) => !translated);
	const below = matches.value.filter(({ translated }) => translated);
	return (
		<li
			ref={item}
			class={`line${active.value ? ' active' : ''}`}
			aria-current={active.value ? 'true' : undefined}
		>
			<SpeakerName index={index} line={line} />
			<button
				type="button"
				class="time"
				aria-label={t('playFrom', time)}
				title={t('playFrom', time)}
				onClick={() => player.seek(line.start, true)}
			>
				{time}
			</button>
			{edited.value ? (
				<LineEditor line={line} />
			) : (
				<p
					class={doubt === undefined ? 'said' : `said ${doubt}`}
					title={doubt && sureness}
					lang={document.value?.language}
					dir="auto"
					onDblClick={() => {
						if (document.value) editing.value = line.id;
					}}
				>
					{near.value
						? words(line, word.value, text, current.value, t, (start) => player.seek(start))
						: line.text}
				</p>
			)}
			{sureness !== undefined && !edited.value && <span class="visually-hidden">{sureness}</span>}
			{sideBySide && (
				<p
					class={translation?.source === line.text ? 'translated' : 'translated old'}
					lang={document.value?.translation?.to}
					dir="auto"
				>
					{translation ? marked(translation.text, 0, below, current.value) : ''}
				</p>
			)}
			{document.value && !edited.value && (
				<span class="line-actions">
					<IconButton
						icon="edit"
						label={t('edit')}
						onClick={() => {
							editing.value = line.id;
						}}
					/>
					{word.value > 0 && (
						<IconButton
							icon="split"
							label={t('split')}
							onClick={() => send({ type: 'split', id: line.id, word: word.value })}
						/>
					)}
					{index < document.value.lines.length - 1 && (
						<IconButton
							icon="merge"
							label={t('merge')}
							onClick={() => send({ type: 'merge', id: line.id })}
						/>
					)}
				</span>
			)}
		</li>
	);
}

type Doubt = 'doubtful' | 'unlikely';

/** Below the first a person should listen; below the second the words are most likely wrong. */
const [doubtful, unlikely] = [0.6, 0.37];

function doubtOf(sureness = 1): Doubt | undefined {
	if (sureness < unlikely) return 'unlikely';
	return sureness < doubtful ? 'doubtful' : undefined;
}

/** Of a line whose words say it each for itself, nothing is said as a whole. */
const doubtOfLine = ({ words, sureness }: TranscriptLine): Doubt | undefined =>
	words.some(({ probability }) => probability !== undefined) ? undefined : doubtOf(sureness);

/** What the model is not sure of, for those who do not see it; `undefined`: of nothing. */
function doubtText(line: TranscriptLine, t: Texts): string | undefined {
	const { words, sureness = 1 } = line;
	if (doubtOfLine(line)) return t('sureness', Math.round(100 * sureness));
	const unsure = words.filter(({ probability }) => doubtOf(probability));
	return unsure.length === 0 ? undefined : t('unsureOf', unsure.map(({ word }) => word).join(', '));
}

type Texts = ReturnType<typeof useTranscript>['t'];

const noMatches: readonly Match[] = [];

type Children = (VNode | string)[];

/** The text with a span for each word. */
function words(
	line: TranscriptLine,
	heard: number,
	matches: readonly Match[],
	current: Match | undefined,
	t: Texts,
	seek: (seconds: number) => void,
): Children {
	let number = -1;
	let at = 0;
	return linePieces(line).flatMap((piece): Children => {
		const content = marked(piece.text, at, matches, current);
		at += piece.text.length;
		const { word } = piece;
		if (!word) return content;
		number++;
		const { probability = 1 } = word;
		const doubt = doubtOf(probability);
		const shown = ['word', number === heard && 'heard', doubt].filter((name) => name);
		return [
			// biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go from word to word
			// biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys go from word to word
			<span
				key={number}
				class={shown.join(' ')}
				title={doubt && t('surenessOfWord', Math.round(100 * probability))}
				onClick={() => {
					// Selecting text is not seeking.
					if (getSelection()?.isCollapsed !== false) seek(word.start);
				}}
			>
				{content}
			</span>,
		];
	});
}

/** A piece of text that begins at `from` of the whole, with what was searched for marked. */
function marked(
	text: string,
	from: number,
	matches: readonly Match[],
	current: Match | undefined,
): Children {
	if (matches.length === 0) return [text];
	const parts: Children = [];
	let done = 0;
	for (const match of matches) {
		const start = Math.max(0, match.start - from);
		const end = Math.min(text.length, match.end - from);
		if (end <= start || start < done) continue;
		if (start > done) parts.push(text.slice(done, start));
		parts.push(
			<mark key={start} class={match === current ? 'current' : undefined}>
				{text.slice(start, end)}
			</mark>,
		);
		done = end;
	}
	if (done < text.length) parts.push(text.slice(done));
	return parts;
}
