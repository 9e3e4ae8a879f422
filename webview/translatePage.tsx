/** Translating on the studio page: two boxes, with the words that belong together shown on hover. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { errorText } from './errorText.ts';
import type { StudioApi, Translation } from './studioApi.ts';
import { text as say } from './studioText.ts';
import { chosenSystem, SystemChoice } from './systemChoice.tsx';
import { linkedParts, readLinks } from './wordLinks.ts';

/** Milliseconds without a key after which the text is translated. */
const quietMs = 500;

export function TranslatePage({ api }: { api: StudioApi }): VNode {
	const state = useMemo(
		() => ({
			text: signal(''),
			from: signal(''),
			to: signal('de'),
			html: signal(false),
			languages: signal<{ code: string; name: string }[]>([]),
			result: signal<(Translation & { readonly source: string }) | undefined>(undefined),
			problem: signal(''),
			busy: signal(false),
			hovered: signal<number | undefined>(undefined),
		}),
		[],
	);
	const running = useRef<AbortController>(undefined);
	useEffect(() => {
		api.languages().then(
			(languages) => {
				state.languages.value = languages;
			},
			(error: unknown) => {
				state.problem.value = errorText(error);
			},
		);
	}, [api, state]);
	const { text, from, to, html } = state;
	useEffect(() => {
		running.current?.abort();
		if (text.value.trim() === '') {
			state.result.value = undefined;
			return;
		}
		const stop = new AbortController();
		running.current = stop;
		const timer = setTimeout(async () => {
			state.busy.value = true;
			try {
				const system = chosenSystem.value;
				const options = { from: from.value, to: to.value, html: html.value, system };
				const source = text.value;
				const answer = await api.translate(source, options, stop.signal);
				state.result.value = { ...answer, source };
				state.problem.value = '';
			} catch (error) {
				if (!stop.signal.aborted) state.problem.value = errorText(error);
			} finally {
				if (!stop.signal.aborted) state.busy.value = false;
			}
		}, quietMs);
		return () => clearTimeout(timer);
	}, [text.value, from.value, to.value, html.value, chosenSystem.value, api, state]);
	const result = state.result.value;
	const nameOf = (code: string) =>
		state.languages.value.find((language) => language.code === code)?.name ?? code;
	const options = state.languages.value.map(({ code, name }) => (
		<option key={code} value={code}>
			{name}
		</option>
	));
	return (
		<section class="tool" aria-label={say('translate')}>
			<div class="row">
				<label>
					{say('from')}
					<select
						value={from.value}
						onChange={(event) => {
							from.value = event.currentTarget.value;
						}}
					>
						<option value="">{say('detect')}</option>
						{options}
					</select>
				</label>
				<label>
					{say('to')}
					<select
						value={to.value}
						onChange={(event) => {
							to.value = event.currentTarget.value;
						}}
					>
						{options}
					</select>
				</label>
				<SystemChoice api={api} />
				<label>
					<input
						type="checkbox"
						checked={html.value}
						onChange={(event) => {
							html.value = event.currentTarget.checked;
						}}
					/>
					{say('html')}
				</label>
				<span class="note" role="status">
					{state.busy.value
						? say('translating')
						: result?.detected
							? say('detected', nameOf(result.detected))
							: ''}
				</span>
			</div>
			<div class="pair">
				<textarea
					aria-label={say('text')}
					placeholder={say('textHint')}
					value={text.value}
					onInput={(event) => {
						text.value = event.currentTarget.value;
					}}
				/>
				<output class="result" aria-label={say('translation')}>
					{result && <Linked result={result} side="target" hovered={state.hovered} />}
				</output>
			</div>
			{result?.alignment && (
				<p class="source-echo" aria-hidden="true">
					<Linked result={result} side="source" hovered={state.hovered} />
				</p>
			)}
			{state.problem.value !== '' && (
				<p class="error" role="alert">
					{state.problem.value}
				</p>
			)}
		</section>
	);
}

function Linked(props: {
	result: Translation & { readonly source: string };
	side: 'source' | 'target';
	hovered: { value: number | undefined };
}): VNode {
	const { result, side, hovered } = props;
	const links = useMemo(() => readLinks(result.alignment ?? ''), [result.alignment]);
	const whole = side === 'source' ? result.source : result.text;
	const parts = linkedParts(whole, links, side);
	return (
		<>
			{parts.map(({ text, groups }, index) => (
				<span
					key={index}
					class={groups.includes(hovered.value ?? -1) ? 'linked' : ''}
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
