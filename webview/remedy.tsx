/** What went wrong, with a button that does something about it. */

import type { VNode } from 'preact';
import { errorActionOf, offersIn } from '../server/protocol/index.ts';
import { DownloadBar } from './downloadBar.tsx';
import { errorText } from './errorText.ts';
import { sizeText } from './numberText.ts';
import type { StudioApi } from './studioApi.ts';
import { download, downloadProblem, downloads, licenceAccepted } from './studioDownloads.ts';
import { addressOf } from './studioRoute.ts';
import { text } from './studioText.ts';

interface RemedyProps {
	readonly api: StudioApi;
	/** `undefined`: all is well. */
	readonly error: unknown;
	/** Called when what was missing is here. */
	readonly again: () => void;
}

export function Remedy({ api, error, again }: RemedyProps): VNode | null {
	if (error === undefined) return null;
	const data = (error as { data?: Readonly<Record<string, unknown>> }).data;
	const action = errorActionOf({ data });
	const offers = action ? offersIn(action) : [];
	const running = offers.map(({ model }) => downloads.value.get(model)).find((one) => one);
	const get = async () => {
		for (const { model, name, licence } of offers) {
			if (!licenceAccepted(name, licence)) return;
			if (!(await download(api, model))) return;
		}
		again();
	};
	return (
		<div class="remedy" role="alert">
			<p>{errorText(error)}</p>
			{offers.length > 0 && api.hasAccess && !running && (
				<button type="button" onClick={() => void get()}>
					{text('get', offers.map(({ name }) => name).join(' + '))}
					<small>
						{offers
							.map(({ bytes, licence }) =>
								bytes === undefined ? licence : `≈ ${sizeText(bytes)} · ${licence}`,
							)
							.join(', ')}
					</small>
				</button>
			)}
			{running && (
				<>
					<DownloadBar name={offers[0]?.name ?? ''} shown={running} />
					<button type="button" class="secondary" onClick={() => running.stop.abort()}>
						{text('stop')}
					</button>
				</>
			)}
			{action && <a href={addressOf('models')}>{text('seeModels')}</a>}
			{downloadProblem.value !== '' && <p class="error">{downloadProblem.value}</p>}
		</div>
	);
}
