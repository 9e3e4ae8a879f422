/** Downloads of models on the studio page; they go on while other pages are shown. */

import { signal } from '@preact/signals';
import { isOpenLicence } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import type { DownloadShown, StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';

/** How far each download is, by the name it was asked for. */
export const downloads = signal<
	ReadonlyMap<string, DownloadShown & { readonly stop: AbortController }>
>(new Map());

/** Why the last download failed; empty: it did not. */
export const downloadProblem = signal('');

/**
 * A licence with conditions is accepted by whoever downloads.
 * @param licence absent: its page names none
 */
export function licenceAccepted(name: string, licence: string | undefined): boolean {
	if (licence === undefined) return confirm(text('licenceNone', name));
	if (licence === '' || isOpenLicence(licence)) return true;
	return confirm(text('licenceSure', name, licence));
}

/** Downloads a model under a name; whether it is here afterwards. */
export async function download(api: StudioApi, model: string, key = model): Promise<boolean> {
	if (downloads.value.has(key)) return false;
	const stop = new AbortController();
	const show = (shown: DownloadShown | undefined) => {
		const next = new Map(downloads.value);
		if (shown === undefined) next.delete(key);
		else next.set(key, { ...shown, stop });
		downloads.value = next;
	};
	show({ share: 0 });
	downloadProblem.value = '';
	try {
		await api.download(model, show, stop.signal);
		return true;
	} catch (error) {
		if (!stop.signal.aborted) downloadProblem.value = errorText(error);
		return false;
	} finally {
		show(undefined);
	}
}
