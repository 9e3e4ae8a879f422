/** Above the lines: searching, undoing, translating, copying, exporting, transcribing again. */

import { useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { isComposing } from '../composing.ts';
import { Icon, IconButton } from '../icons.tsx';
import { withoutFillers } from './fillers.ts';
import { CopyForm, ExportForm, TranscribeForm, TranslateForm } from './forms.tsx';
import { Menu } from './menu.tsx';
import { replaceIn } from './transcriptSearch.ts';
import { useTranscript } from './transcriptState.ts';

export function Toolbar(): VNode {
	const { state, job, send, t } = useTranscript();
	const busy = job.value !== null;
	return (
		<div class="toolbar">
			<SearchField />
			<span class="tools">
				<IconButton
					icon="undo"
					label={t('undo')}
					disabled={busy || !state.value?.canUndo}
					onClick={() => send({ type: 'undo' })}
				/>
				<IconButton
					icon="redo"
					label={t('redo')}
					disabled={busy || !state.value?.canRedo}
					onClick={() => send({ type: 'redo' })}
				/>
				<FillersButton />
				{state.value?.editor && (
					<IconButton icon="insert" label={t('insert')} onClick={() => send({ type: 'insert' })} />
				)}
				<IconButton
					icon="documents"
					label={t('outline')}
					disabled={busy}
					onClick={() => send({ type: 'outline' })}
				/>
				<Menu icon="globe" label={t('translate')} disabled={busy}>
					{(close) => <TranslateForm done={close} />}
				</Menu>
				<Menu icon="copy" label={t('copy')}>
					{(close) => <CopyForm done={close} />}
				</Menu>
				<Menu icon="export" label={t('export')}>
					{(close) => <ExportForm done={close} />}
				</Menu>
				<Menu icon="again" label={t('transcribeAgain')} disabled={busy}>
					{(close) => <TranscribeForm label={t('transcribeAgain')} done={close} />}
				</Menu>
			</span>
		</div>
	);
}

/** Takes out the words that only fill pauses, as one step of undo; there only where there are some. */
function FillersButton(): VNode | null {
	const { document, job, send, t } = useTranscript();
	const { lines = [], language = '' } = document.value ?? {};
	const changed = useMemo(
		() =>
			lines.flatMap(({ id, text }) => {
				const cut = withoutFillers(text, language);
				return cut === text ? [] : [{ id, text: cut }];
			}),
		[lines, language],
	);
	if (changed.length === 0) return null;
	return (
		<IconButton
			icon="eraser"
			label={t('fillers', changed.length)}
			disabled={job.value?.kind === 'transcribe'}
			onClick={() => send({ type: 'replace', lines: changed })}
		/>
	);
}

function SearchField(): VNode {
	const { search, findAsked, t } = useTranscript();
	const field = useRef<HTMLInputElement>(null);
	useSignalEffect(() => {
		if (findAsked.value === 0) return;
		field.current?.focus();
		field.current?.select();
	});
	const { length } = search.matches.value;
	const searching = search.query.value.trim() !== '';
	const replacing = useSignal(false);
	return (
		<search class="search">
			<Icon name="find" />
			<input
				ref={field}
				type="search"
				aria-label={t('find')}
				placeholder={t('find')}
				value={search.query.value}
				onInput={(event) => {
					search.query.value = event.currentTarget.value;
					search.at.value = 0;
				}}
				onKeyDown={(event) => {
					event.stopPropagation();
					if (event.key === 'Enter' && !isComposing(event)) search.move(event.shiftKey ? -1 : 1);
					if (event.key !== 'Escape') return;
					search.query.value = '';
					field.current?.blur();
				}}
			/>
			<span class="note" role="status">
				{searching && (length === 0 ? t('noMatch') : t('matches', search.at.value + 1, length))}
			</span>
			{length > 1 && (
				<>
					<IconButton icon="previous" label={t('findPrevious')} onClick={() => search.move(-1)} />
					<IconButton icon="next" label={t('findNext')} onClick={() => search.move(1)} />
				</>
			)}
			{length > 0 && !replacing.value && (
				<IconButton
					icon="replace"
					label={t('replaceShow')}
					onClick={() => {
						replacing.value = true;
					}}
				/>
			)}
			{searching && replacing.value && <ReplaceField />}
		</search>
	);
}

/** Other words for what was found, in the transcript itself; its translation follows. */
function ReplaceField(): VNode {
	const { search, document, job, send, t } = useTranscript();
	const words = useSignal('');
	const own = search.matches.value.filter(({ translated }) => !translated);
	const busy = job.value?.kind === 'transcribe' || own.length === 0;
	const replace = (matches: typeof own) => {
		const lines = Map.groupBy(matches, ({ line }) => line);
		const texts = (document.value?.lines ?? [])
			.filter(({ id }) => lines.has(id))
			.map(({ id, text }) => ({ id, text: replaceIn(text, lines.get(id) ?? [], words.value) }));
		send({ type: 'replace', lines: texts });
	};
	const one = () => {
		const { current } = search;
		const match = current.value?.translated === false ? current.value : own[0];
		if (match) replace([match]);
	};
	return (
		<span class="replace">
			<input
				type="text"
				aria-label={t('replaceWith')}
				placeholder={t('replaceWith')}
				value={words.value}
				onInput={(event) => {
					words.value = event.currentTarget.value;
				}}
				onKeyDown={(event) => {
					event.stopPropagation();
					if (event.key === 'Enter' && !isComposing(event)) one();
				}}
			/>
			<button type="button" class="secondary" disabled={busy} onClick={one}>
				{t('replaceOne')}
			</button>
			<button type="button" class="secondary" disabled={busy} onClick={() => replace(own)}>
				{t('replaceAll')}
			</button>
		</span>
	);
}
