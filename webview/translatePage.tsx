/** Translating on the studio page: two boxes that grow with their text; words that belong together light up in both. */

import './translatePage.css';
import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { readyTargets } from '../server/protocol/index.ts';
import { IconButton } from './icons.tsx';
import { Remedy } from './remedy.tsx';
import { readAloud, voiceFor } from './speak.ts';
import type { StudioApi, Translation } from './studioApi.ts';
import { text as say } from './studioText.ts';
import { SystemChoice } from './systemChoice.tsx';
import {
	chooseTarget,
	from,
	isBusy,
	isHtml,
	problem,
	recent,
	result,
	source,
	startTranslating,
	swap,
	to,
	translateAgain,
} from './translateState.ts';
import { linkedParts, readLinks } from './wordLinks.ts';

interface Language {
	readonly code: string;
	readonly name: string;
}

const languages = signal<readonly Language[]>([]);
/** Codes that the models which are here translate into. */
const ready = signal<ReadonlySet<string>>(new Set());
/** Group of linked words under the pointer. */
const hovered = signal<number | undefined>(undefined);

async function loadLanguages(api: StudioApi): Promise<void> {
	try {
		const [listed, models] = await Promise.all([api.languages(), api.models()]);
		languages.value = listed;
		ready.value = readyTargets(models);
	} catch (error) {
		problem.value = error;
	}
}

export function TranslatePage({ api }: { api: StudioApi }): VNode {
	useEffect(() => {
		startTranslating(api);
		void loadLanguages(api);
	}, [api]);
	const shown = result.value;
	const nameOf = (code: string) =>
		languages.value.find((language) => language.code === code)?.name ?? code;
	return (
		<section class="tool translate" aria-label={say('translate')}>
			<div class="languages">
				<label>
					<span>{say('from')}</span>
					<select
						value={from.value}
						onChange={(event) => {
							from.value = event.currentTarget.value;
						}}
					>
						<option value="">{say('detect')}</option>
						{languages.value.map(option)}
					</select>
				</label>
				<IconButton
					icon="swap"
					label={say('swap')}
					disabled={from.value === '' && shown?.detected === undefined}
					onClick={swap}
				/>
				<label>
					<span>{say('to')}</span>
					<select value={to.value} onChange={(event) => chooseTarget(event.currentTarget.value)}>
						<Targets />
					</select>
				</label>
				<fieldset class="chips" aria-label={say('recentLanguages')}>
					{recent.value
						.filter((code) => code !== to.value && languages.value.some((one) => one.code === code))
						.map((code) => (
							<button key={code} type="button" class="chip" onClick={() => chooseTarget(code)}>
								{nameOf(code)}
							</button>
						))}
				</fieldset>
				<details class="more">
					<summary>{say('more')}</summary>
					<div>
						<SystemChoice api={api} />
						<label>
							<input
								type="checkbox"
								checked={isHtml.value}
								onChange={(event) => {
									isHtml.value = event.currentTarget.checked;
								}}
							/>
							{say('html')}
						</label>
					</div>
				</details>
			</div>
			<div class="pair">
				<SourceBox result={shown} />
				<div class="box target">
					<output
						class="result"
						aria-label={say('translation')}
						aria-busy={isBusy.value}
						lang={to.value}
						dir="auto"
					>
						{shown && <Linked result={shown} side="target" />}
					</output>
					<footer>
						<span class="note" role="status">
							{isBusy.value ? say('translating') : shown && noteOf(shown, nameOf)}
						</span>
						{shown && <Speak words={shown.text} language={shown.to} />}
						{shown && <Copy words={shown.text} />}
					</footer>
				</div>
			</div>
			<Remedy api={api} error={problem.value} again={translateAgain} />
		</section>
	);
}

/** What is said of a translation: the language it is from, and how good it probably is. */
const noteOf = ({ detected, quality }: Translation, nameOf: (code: string) => string): string =>
	[
		...(detected === undefined ? [] : [say('detected', nameOf(detected))]),
		...(quality === undefined ? [] : [say('documentQuality', Math.round(100 * quality))]),
	].join(' · ');

const option = ({ code, name }: Language): VNode => (
	<option key={code} value={code}>
		{name}
	</option>
);

/** Languages that can be had at once before those for which a model has to come. */
function Targets(): VNode {
	const now = languages.value.filter(({ code }) => ready.value.has(code));
	const later = languages.value.filter(({ code }) => !ready.value.has(code));
	if (now.length === 0 || later.length === 0) return <>{languages.value.map(option)}</>;
	return (
		<>
			<optgroup label={say('readyNow')}>{now.map(option)}</optgroup>
			<optgroup label={say('afterDownload')}>{later.map(option)}</optgroup>
		</>
	);
}

type ShownTranslation = Translation & { readonly source: string };

/** The text, over a copy of it that grows with it and in which words light up. */
function SourceBox({ result: shown }: { result: ShownTranslation | undefined }): VNode {
	const input = useRef<HTMLTextAreaElement>(null);
	const linked = shown?.alignment && shown.source === source.value ? shown : undefined;
	return (
		<div class="box">
			<div class="grow">
				<p class="source-echo" aria-hidden="true">
					{linked ? <Linked result={linked} side="source" /> : source.value}
					{'\u200b'}
				</p>
				<textarea
					ref={input}
					aria-label={say('text')}
					placeholder={say('textHint')}
					value={source.value}
					dir="auto"
					onInput={(event) => {
						source.value = event.currentTarget.value;
					}}
					onPointerMove={({ clientX, clientY }) => {
						// The words lie below the text that is written.
						const word = document
							.elementsFromPoint(clientX, clientY)
							.find((element) => element.matches('.source-echo [data-group]'));
						const group = word?.getAttribute('data-group');
						hovered.value = group ? Number(group) : undefined;
					}}
					onPointerLeave={() => {
						hovered.value = undefined;
					}}
				/>
			</div>
			<footer>
				<span class="note">
					{source.value === '' ? '' : say('charactersLong', source.value.length)}
				</span>
				{source.value !== '' && (
					<>
						<Speak words={source.value} language={from.value || shown?.detected || ''} />
						<Copy words={source.value} />
						<IconButton
							icon="remove"
							label={say('clear')}
							onClick={() => {
								source.value = '';
								input.current?.focus();
							}}
						/>
					</>
				)}
			</footer>
		</div>
	);
}

function Linked(props: { result: ShownTranslation; side: 'source' | 'target' }): VNode {
	const { result: shown, side } = props;
	const links = useMemo(() => readLinks(shown.alignment ?? ''), [shown.alignment]);
	const whole = side === 'source' ? shown.source : shown.text;
	const parts = linkedParts(whole, links, side);
	return (
		<>
			{parts.map(({ text, groups }, index) => (
				<span
					key={index}
					class={groups.includes(hovered.value ?? -1) ? 'linked' : ''}
					data-group={groups[0]}
					onPointerEnter={() => {
						hovered.value = groups[0];
					}}
					onPointerLeave={() => {
						hovered.value = undefined;
					}}
				>
					{text}
				</span>
			))}
		</>
	);
}

function Copy({ words }: { words: string }): VNode {
	const done = useSignal(false);
	const copy = async () => {
		await navigator.clipboard.writeText(words);
		done.value = true;
		setTimeout(() => {
			done.value = false;
		}, 1500);
	};
	return (
		<IconButton
			icon={done.value ? 'done' : 'copy'}
			label={say(done.value ? 'copied' : 'copyText')}
			onClick={() => void copy()}
		/>
	);
}

/** Reads aloud by a voice of the system, where it has one for the language. */
function Speak({ words, language }: { words: string; language: string }): VNode | null {
	if (language === '' || !voiceFor(language)) return null;
	return (
		<IconButton icon="speaker" label={say('speak')} onClick={() => readAloud(words, language)} />
	);
}
