/** Translating whole documents on the studio page: drop a file, get it in another language. */

import './documentsPage.css';
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { archiveEndingOf, archiveEndings } from '../server/protocol/archiveTypes.ts';
import { translatedFileName } from '../server/protocol/translatedFileName.ts';
import { errorText } from './errorText.ts';
import { Icon } from './icons.tsx';
import { KeptTextList } from './keptTextList.tsx';
import { type KeptText, keptTexts } from './keptTexts.ts';
import type { StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';
import { chosenSystem, SystemChoice } from './systemChoice.tsx';
import { textOfUtf8 } from './textOfUtf8.ts';

/** A document on its way. */
interface Job {
	readonly id: string;
	readonly name: string;
	readonly to: string;
	readonly stop: AbortController;
	readonly state: 'working' | 'done' | 'failed';
	/** What came of it, in words. */
	readonly note: string;
	/** Where the translated file can be had. */
	readonly url?: string;
	readonly result?: string;
	/** Texts that stayed as they were; those of files that are no text are only counted. */
	readonly kept?: readonly KeptText[];
}

/** Stays while other tools are shown. */
const jobs = signal<readonly Job[]>([]);
const to = signal('de');
const languages = signal<readonly { code: string; name: string }[]>([]);
const problem = signal('');
const over = signal(false);

const textEndings =
	'.md,.mdx,.markdown,.json,.jsonc,.arb,.po,.pot,.properties,.srt,.vtt,.txt,.html,.htm,.xlf,.xliff,.yaml,.yml,.adoc,.asciidoc,.csv,.tsv,.ftl,.ipynb,.resx,.rst,.strings,.stringsdict,.toml,.xcstrings,.xml,.ts,.php';
const endings = [textEndings, ...archiveEndings.map((ending) => `.${ending}`)].join();

function update(id: string, change: Partial<Job>): void {
	jobs.value = jobs.value.map((job) => (job.id === id ? { ...job, ...change } : job));
}

async function translate(api: StudioApi, file: File): Promise<void> {
	const job: Job = {
		id: crypto.randomUUID(),
		name: file.name,
		to: to.value,
		stop: new AbortController(),
		state: 'working',
		note: text('translating'),
	};
	jobs.value = [job, ...jobs.value];
	try {
		const { made, pieces, translated, quality, result, kept } = await translatedFile(
			api,
			file,
			job,
		);
		const key = translated === pieces ? 'documentDone' : 'documentLeft';
		update(job.id, {
			state: 'done',
			note: [
				text(key, translated, pieces),
				...(quality === undefined ? [] : [text('documentQuality', Math.round(100 * quality))]),
			].join(' · '),
			url: URL.createObjectURL(made),
			...(result === undefined ? {} : { result }),
			...(kept === undefined || kept.length === 0 ? {} : { kept }),
		});
	} catch (error) {
		const note = job.stop.signal.aborted ? text('cancelled') : errorText(error);
		update(job.id, { state: 'failed', note });
	}
}

/** A file in another language; of a text, its beginning is shown. */
async function translatedFile(api: StudioApi, file: File, { to, stop: { signal } }: Job) {
	const words = archiveEndingOf(file.name) ? undefined : textOfUtf8(await file.arrayBuffer());
	if (words === undefined)
		return {
			...{ result: undefined, kept: undefined },
			...(await api.translateFile(file, to, chosenSystem.value, signal)),
		};
	const document = { fileName: file.name, text: words, to };
	const answer = await api.translateDocument(document, chosenSystem.value, signal);
	const { text: made, pieces, translated, quality } = answer;
	return {
		made: new Blob([made], { type: 'text/plain' }),
		pieces,
		quality,
		translated,
		result: made.slice(0, 20_000),
		kept: keptTexts(document.text, answer),
	};
}

export function DocumentsPage({ api }: { api: StudioApi }): VNode {
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => {
		api.languages().then(
			(known) => {
				languages.value = known;
			},
			(error: unknown) => {
				problem.value = errorText(error);
			},
		);
	}, [api]);
	const take = (files: Iterable<File>) => {
		for (const file of files) void translate(api, file);
	};
	return (
		<section
			class={`documents${over.value ? ' over' : ''}`}
			aria-label={text('documents')}
			onDragOver={(event) => {
				event.preventDefault();
				over.value = true;
			}}
			onDragLeave={() => {
				over.value = false;
			}}
			onDrop={(event) => {
				event.preventDefault();
				over.value = false;
				take(event.dataTransfer?.files ?? []);
			}}
		>
			<div class="document-drop">
				<Icon name="newFile" />
				<p>{text('documentsHint')}</p>
				<div class="document-tools">
					<label>
						{text('into')}
						<select
							value={to.value}
							onChange={(event) => {
								to.value = event.currentTarget.value;
							}}
						>
							{languages.value.map(({ code, name }) => (
								<option key={code} value={code}>
									{name}
								</option>
							))}
						</select>
					</label>
					<SystemChoice api={api} />
					<button type="button" onClick={() => input.current?.click()}>
						{text('chooseFiles')}
					</button>
					<input
						ref={input}
						type="file"
						hidden
						multiple
						aria-label={text('documents')}
						accept={endings}
						onChange={(event) => {
							take(event.currentTarget.files ?? []);
							event.currentTarget.value = '';
						}}
					/>
				</div>
				<p class="note">{text('documentNote')}</p>
			</div>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			<ul class="document-jobs" aria-live="polite">
				{jobs.value.map((job) => (
					<JobView key={job.id} job={job} />
				))}
			</ul>
		</section>
	);
}

function JobView({ job }: { job: Job }): VNode {
	const name = translatedFileName(job.name, job.to);
	return (
		<li class={job.state}>
			<div class="document-job">
				<strong>{job.state === 'done' ? name : job.name}</strong>
				<span class="note">{job.note}</span>
				{job.state === 'working' && (
					<button type="button" class="secondary" onClick={() => job.stop.abort()}>
						{text('cancelWork')}
					</button>
				)}
				{job.url && (
					<a class="download" href={job.url} download={name}>
						{text('save')}
					</a>
				)}
			</div>
			{job.state === 'working' && <progress aria-label={job.name} />}
			{job.kept && <KeptTextList kept={job.kept} />}
			{job.result !== undefined && (
				<details>
					<summary>{text('showText')}</summary>
					{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable */}
					<pre class="result" tabIndex={0} lang={job.to} dir="auto">
						{job.result}
					</pre>
				</details>
			)}
		</li>
	);
}
