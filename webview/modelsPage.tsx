/** Models of the studio page: what is on this computer, in words and numbers. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ModelInfo } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import type { StudioApi } from './studioApi.ts';

/** Milliseconds between two looks at the states. */
const everyMs = 3000;

export function ModelsPage({ api }: { api: StudioApi }): VNode {
	const models = useMemo(() => signal<readonly ModelInfo[]>([]), []);
	const problem = useMemo(() => signal(''), []);
	useEffect(() => {
		const look = () =>
			api.models().then(
				(found) => {
					models.value = found;
					problem.value = '';
				},
				(error: unknown) => {
					problem.value = errorText(error);
				},
			);
		void look();
		const timer = setInterval(look, everyMs);
		return () => clearInterval(timer);
	}, [api, models, problem]);
	const change = async (model: ModelInfo, verb: 'load' | 'unload') => {
		try {
			await api.get(`/openai/${verb}/${encodeURIComponent(model.id)}`);
			models.value = await api.models();
		} catch (error) {
			problem.value = errorText(error);
		}
	};
	return (
		<section class="tool" aria-label="Models">
			<table class="models">
				<thead>
					<tr>
						<th>Model</th>
						<th>For</th>
						<th>Size</th>
						<th>Context</th>
						<th>State</th>
						<th>
							<span class="visually-hidden">Actions</span>
						</th>
					</tr>
				</thead>
				<tbody>
					{models.value.map((model) => (
						<tr key={model.id}>
							<td>
								{model.displayName} <span class="note">{model.id}</span>
							</td>
							<td>{model.task}</td>
							<td>
								{model.sizeBytes === undefined ? '' : `${(model.sizeBytes / 1e6).toFixed(1)} MB`}
							</td>
							<td>{model.contextLength?.toLocaleString() ?? ''}</td>
							<td>{model.state}</td>
							<td>
								{model.state === 'loaded' ? (
									<button type="button" class="secondary" onClick={() => change(model, 'unload')}>
										Unload
									</button>
								) : (
									<button type="button" class="secondary" onClick={() => change(model, 'load')}>
										Load
									</button>
								)}
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
		</section>
	);
}
