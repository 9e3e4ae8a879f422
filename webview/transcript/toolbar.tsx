/** Above the lines: searching, undoing, translating, copying, exporting, transcribing again. */

import { useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon, IconButton } from '../icons.tsx';
import { CopyForm, ExportForm, TranscribeForm, TranslateForm } from './forms.tsx';
import { Menu } from './menu.tsx';
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
				{state.value?.editor && (
					<IconButton icon="insert" label={t('insert')} onClick={() => send({ type: 'insert' })} />
				)}
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
					if (event.key === 'Enter') search.move(event.shiftKey ? -1 : 1);
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
		</search>
	);
}
