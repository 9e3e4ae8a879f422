/** What the studio shows before the first question: what it does, how programs use it, and that nothing leaves. */

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { IconButton } from './icons.tsx';
import { modelsRunHere } from './signedInPerson.ts';
import { go } from './studioRoute.ts';
import { text } from './studioText.ts';
import { startTranslation } from './translateState.ts';

const questions = ['How do I extract a tar.gz file?', 'Show the free disk space'] as const;

export function Welcome({ ask }: { ask: (question: string) => void }): VNode {
	return (
		<div class="welcome">
			<h2>{text('welcome')}</h2>
			<p class="lead">{text('welcomeHere')}</p>
			<div class="tiles">
				{questions.map((question) => (
					<button key={question} type="button" class="tile" onClick={() => ask(question)}>
						<strong>{text('chat')}</strong>
						<span lang="en">{question}</span>
					</button>
				))}
				<button
					type="button"
					class="tile"
					onClick={() => {
						startTranslation('The file could not be opened.');
						go('translate');
					}}
				>
					<strong>{text('translation')}</strong>
					<span lang="en">The file could not be opened.</span>
				</button>
				<button type="button" class="tile" onClick={() => go('transcribe')}>
					<strong>{text('speech')}</strong>
					<span>{text('welcomeSpeech')}</span>
				</button>
			</div>
			<Snippets />
			{modelsRunHere() && <Proof />}
		</div>
	);
}

const base = () => `${location.origin}${location.pathname.replace(/\/$/, '')}`;

const snippets = {
	curl: () =>
		`curl ${base()}/v1/chat/completions -H 'content-type: application/json' \\\n  -d '{"messages":[{"role":"user","content":"show the date"}]}'`,
	Python: () =>
		`from openai import OpenAI\nclient = OpenAI(base_url="${base()}/v1", api_key="…")\nprint(client.models.list())`,
} as const;

/** How programs ask the models, with the address of this very server. */
function Snippets(): VNode {
	const shown = useSignal<keyof typeof snippets>('curl');
	const code = snippets[shown.value]();
	return (
		<section class="snippet" aria-label={text('fromPrograms')}>
			<header>
				<strong>{text('fromPrograms')}</strong>
				{(Object.keys(snippets) as (keyof typeof snippets)[]).map((name) => (
					<button
						key={name}
						type="button"
						class="chip"
						aria-pressed={shown.value === name}
						onClick={() => {
							shown.value = name;
						}}
					>
						{name}
					</button>
				))}
				<IconButton
					icon="copy"
					label={text('copySnippet')}
					onClick={() => void navigator.clipboard.writeText(code)}
				/>
			</header>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard */}
			<pre tabIndex={0}>{code}</pre>
		</section>
	);
}

/** Counts what this page has asked for, and of whom: the browser has kept the list. */
function Proof(): VNode {
	const counts = useSignal({ own: 0, others: 0 });
	useEffect(() => {
		const count = () => {
			const names = performance.getEntriesByType('resource').map(({ name }) => name);
			const own = names.filter(
				(name) => /^(?:data|blob):/.test(name) || name.startsWith(location.origin),
			);
			counts.value = { own: own.length, others: names.length - own.length };
		};
		count();
		const watch = new PerformanceObserver(count);
		watch.observe({ type: 'resource' });
		return () => watch.disconnect();
	}, [counts]);
	const { own, others } = counts.value;
	return <p class="proof">{text('proof', own, location.host, others)}</p>;
}
