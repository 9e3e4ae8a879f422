/** Repositories of the hub in the studio page: looked for on request, exports before what is built here. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { DownloadBar } from './downloadBar.tsx';
import { errorText } from './errorText.ts';
import { sizeText } from './numberText.ts';
import type { DownloadShown, HubModel, StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';

interface HubSearchProps {
	readonly api: StudioApi;
	/** What is being downloaded, by repository. */
	readonly downloadOf: (repository: string) => DownloadShown | undefined;
	readonly onStop: (repository: string) => void;
	readonly onAdd: (repository: string, licence: string | undefined) => void;
}

/** Stays while other tools are shown. */
const found = signal<readonly HubModel[] | undefined>(undefined);
const problem = signal('');
const isSearching = signal(false);

async function search(api: StudioApi, words: string): Promise<void> {
	if (words === '') return;
	isSearching.value = true;
	problem.value = '';
	try {
		found.value = await api.searchHub(words);
	} catch (error) {
		problem.value = errorText(error);
	} finally {
		isSearching.value = false;
	}
}

export function HubSearch({ api, downloadOf, onStop, onAdd }: HubSearchProps): VNode {
	return (
		<section aria-label={text('hub')}>
			<form
				class="row"
				onSubmit={(event) => {
					event.preventDefault();
					const input = event.currentTarget.elements.namedItem('words') as HTMLInputElement;
					void search(api, input.value.trim());
				}}
			>
				<label>
					{text('hub')} <input name="words" type="search" maxLength={200} placeholder="qwen gguf" />
				</label>
				<button type="submit" class="secondary" disabled={isSearching.value}>
					{text('search')}
				</button>
			</form>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			{found.value?.length === 0 && <p class="note">{text('nothingOnHub')}</p>}
			{found.value !== undefined && found.value.length > 0 && (
				<table class="models">
					<caption>{text('onHub')}</caption>
					<tbody>
						{found.value.map((model) => (
							<Row
								key={model.repository}
								model={model}
								download={downloadOf(model.repository)}
								onStop={onStop}
								onAdd={onAdd}
							/>
						))}
					</tbody>
				</table>
			)}
		</section>
	);
}

/** Formats that models are built of, as they are written. */
const names = { onnx: 'ONNX', gguf: 'GGUF', safetensors: 'safetensors', marian: 'Marian' } as const;

function Row({
	model,
	download,
	onStop,
	onAdd,
}: {
	model: HubModel;
	download: DownloadShown | undefined;
	onStop: (repository: string) => void;
	onAdd: (repository: string, licence: string | undefined) => void;
}): VNode {
	const { repository, title, license, formats, sizeBytes, isGated } = model;
	const [best = 'onnx'] = formats;
	return (
		<tr>
			<th scope="row">
				{repository}{' '}
				<span class="note">
					{[title, license].filter((part) => part !== undefined).join(' · ')}
				</span>
			</th>
			<td>{best === 'onnx' ? '' : text('builtOf', names[best])}</td>
			<td>{sizeBytes === undefined ? '' : sizeText(sizeBytes)}</td>
			<td>{isGated ? text('gated') : ''}</td>
			<td class="buttons">
				{download === undefined ? (
					<button
						type="button"
						class="secondary"
						aria-label={`${text('add')}: ${repository}`}
						onClick={() => onAdd(repository, license)}
					>
						{text('add')}
					</button>
				) : (
					<>
						<DownloadBar name={repository} shown={download} />
						<button
							type="button"
							class="secondary"
							aria-label={`${text('stop')}: ${repository}`}
							onClick={() => onStop(repository)}
						>
							{text('stop')}
						</button>
					</>
				)}
			</td>
		</tr>
	);
}
