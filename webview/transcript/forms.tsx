/** The small forms of the tool bar: how to transcribe, translate, export and copy. */

import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import {
	cutSeconds,
	type ExportContent,
	type ExportFormat,
	exportContents,
	exportFormats,
	shortClock,
	speechLanguages,
	type TranscribeChoice,
} from '../../server/protocol/index.ts';
import { Choice, Tick } from './menu.tsx';
import { targetsOf } from './targets.ts';
import { useTranscript } from './transcriptState.ts';

const formatNames: Readonly<Record<ExportFormat, string>> = {
	text: 'Text',
	markdown: 'Markdown',
	docx: 'Word',
	srt: 'SRT',
	vtt: 'WebVTT',
	json: 'JSON',
};

/** The name of a language in the language of the page. */
function languageName(code: string): string {
	const page = document.documentElement.lang || 'en';
	try {
		const name = new Intl.DisplayNames([page], { type: 'language' }).of(code);
		if (name && name !== code) return name;
	} catch {
		// Not every code is known everywhere.
	}
	return speechLanguages.get(code) ?? code;
}

/** Language, model and a button that starts; for the empty page and for the menu. */
export function TranscribeForm({ label, done }: { label: string; done?: () => void }): VNode {
	const { state, send, t } = useTranscript();
	const given = state.value?.choice ?? { model: '', language: '', english: false };
	const changed = useSignal<Partial<TranscribeChoice>>({});
	const choice = { ...given, ...changed.value };
	const models = state.value?.models ?? [];
	const known = models.find(({ id }) => id === choice.model)?.languages;
	const codes = [...speechLanguages.keys()].filter((code) => known?.includes(code) ?? true);
	const languages = codes
		.map((code) => [code, languageName(code)] as const)
		.sort((a, b) => a[1].localeCompare(b[1]));
	const multilingual = models.some(({ languages: own }) => own === undefined || own.length > 1);
	return (
		<form
			class="transcribe-form"
			onSubmit={(event) => {
				event.preventDefault();
				const model = models.some(({ id }) => id === choice.model) ? choice.model : '';
				send({ type: 'transcribe', choice: { ...choice, model } });
				done?.();
			}}
		>
			<Choice
				label={t('language')}
				value={choice.language}
				options={[['', t('anyLanguage')], ...languages]}
				onChange={(language) => {
					changed.value = { ...changed.value, language };
				}}
			/>
			{models.length > 1 && (
				<Choice
					label={t('model')}
					value={choice.model}
					options={[
						['', t('anyModel')],
						...models.map(({ id, displayName }) => [id, displayName] as const),
					]}
					onChange={(model) => {
						changed.value = { ...changed.value, model };
					}}
				/>
			)}
			{multilingual && (
				<Tick
					label={t('english')}
					checked={choice.english}
					onChange={(english) => {
						changed.value = { ...changed.value, english };
					}}
				/>
			)}
			<Tick
				label={t('speakers')}
				checked={choice.speakers ?? false}
				onChange={(speakers) => {
					changed.value = { ...changed.value, speakers };
				}}
			/>
			<button type="submit">{label}</button>
		</form>
	);
}

export function TranslateForm({ done }: { done: () => void }): VNode {
	const { state, document, send, t } = useTranscript();
	const chosen = useSignal<string | undefined>(undefined);
	const languages = targetsOf(state.value, document.value?.language);
	const shown = document.value?.translation?.to;
	const to = chosen.value ?? shown ?? languages[0]?.code ?? '';
	return (
		<form
			class="transcribe-form"
			onSubmit={(event) => {
				event.preventDefault();
				if (to !== '') send({ type: 'translate', to });
				done();
			}}
		>
			<Choice
				label={t('translateTo')}
				value={to}
				options={languages.map(({ code, name, nativeName }) => [code, name || nativeName] as const)}
				onChange={(code) => {
					chosen.value = code;
				}}
			/>
			<button type="submit" disabled={to === ''}>
				{t('translate')}
			</button>
			{shown !== undefined && (
				<button
					type="button"
					class="secondary"
					onClick={() => {
						send({ type: 'clearTranslation' });
						done();
					}}
				>
					{t('clearTranslation')}
				</button>
			)}
		</form>
	);
}

/** Original, translation or both; nothing to choose without a translation. */
function ContentChoice({ content }: { content: Signal<ExportContent> }): VNode | null {
	const { document, t } = useTranscript();
	if (!document.value?.translation) return null;
	return (
		<Choice
			label={t('which')}
			value={content.value}
			options={exportContents.map((one) => [one, t(one)] as const)}
			onChange={(value) => {
				content.value = value;
			}}
		/>
	);
}

/** What is exported when nothing else is chosen. */
function useContent(): Signal<ExportContent> {
	const { document } = useTranscript();
	return useSignal<ExportContent>(document.peek()?.translation ? 'both' : 'original');
}

export function ExportForm({ done }: { done: () => void }): VNode {
	const { document, send, t } = useTranscript();
	const { cuts = [] } = document.value ?? {};
	const format = useSignal<ExportFormat>('srt');
	const content = useContent();
	const times = useSignal(true);
	const optional = ['text', 'markdown', 'docx'].includes(format.value);
	return (
		<form
			class="transcribe-form"
			onSubmit={(event) => {
				event.preventDefault();
				send({
					type: 'export',
					format: format.value,
					content: content.value,
					times: optional && times.value,
				});
				done();
			}}
		>
			<Choice
				label={t('format')}
				value={format.value}
				options={exportFormats.map((one) => [one, formatNames[one]] as const)}
				onChange={(value) => {
					format.value = value;
				}}
			/>
			<ContentChoice content={content} />
			{optional && (
				<Tick
					label={t('times')}
					checked={times.value}
					onChange={(value) => {
						times.value = value;
					}}
				/>
			)}
			<button type="submit">{t('export')}</button>
			{cuts.length > 0 && (
				<button
					type="button"
					class="secondary"
					onClick={() => {
						send({ type: 'exportSound' });
						done();
					}}
				>
					{t('exportSound', shortClock(cutSeconds(cuts)))}
				</button>
			)}
		</form>
	);
}

export function CopyForm({ done }: { done: () => void }): VNode {
	const { send, t } = useTranscript();
	const content = useContent();
	const copy = (times: boolean) => {
		send({ type: 'copy', content: content.value, times });
		done();
	};
	return (
		<div class="transcribe-form">
			<ContentChoice content={content} />
			<button type="button" onClick={() => copy(false)}>
				{t('copy')}
			</button>
			<button type="button" class="secondary" onClick={() => copy(true)}>
				{t('copyTimes')}
			</button>
		</div>
	);
}
