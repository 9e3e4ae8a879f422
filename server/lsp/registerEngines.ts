/** Registers what an editor asks about engines on other machines. */

import {
	addUpstream,
	listUpstreams,
	removeUpstream,
	setUpstreams,
	testUpstream,
} from '../protocol/routeAddresses.ts';
import type { JobRegistration } from './registerJobs.ts';

export function registerEngines({ handle, link }: JobRegistration): void {
	handle('nearglot/engines', async (_params, signal) => ({
		engines: (await link.call(listUpstreams, {}, { signal })).upstreams,
	}));
	handle('nearglot/engines/add', async (body, signal) =>
		link.call(addUpstream, { body }, { signal }),
	);
	handle('nearglot/engines/setting', async (body, signal) => ({
		engines: (await link.call(setUpstreams, { body }, { signal })).upstreams,
	}));
	handle('nearglot/engines/remove', async ({ name }, signal) =>
		link.call(removeUpstream, { params: { name } }, { signal }),
	);
	handle('nearglot/engines/test', async ({ name }, signal) =>
		link.call(testUpstream, { params: { name } }, { signal }),
	);
}
