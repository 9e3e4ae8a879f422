/** Engines on other machines, for the owner's editor and programs. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError, type ModelInfo } from '../protocol/index.ts';
import type { BodyOf } from '../protocol/routes/route.ts';
import {
	addUpstream,
	listUpstreams,
	removeUpstream,
	setUpstreams,
	testUpstream,
	type UpstreamInfo,
} from '../protocol/routes/upstreamEngines.ts';
import {
	checkedAddress,
	checkedName,
	defaultTimeoutS,
	type UpstreamEntry,
	withoutUpstream,
	withSetting,
	withUpstream,
} from '../remote/upstreams/upstreamFile.ts';
import type { ListedUpstreamModel } from '../remote/upstreams/upstreams.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';

export function registerUpstreamRoutes(app: Hono<AppEnv>, { upstreams }: Backend): void {
	const { file } = upstreams;
	register(app, listUpstreams, async ({ signal, answer }) => {
		const [list, models] = await Promise.all([file.read(), upstreams.list(signal)]);
		return answer({ upstreams: list.upstreams.map(shown), models: models.map(modelInfoOf) });
	});
	register(app, addUpstream, async ({ body, answer }) => {
		const entry = entryOf(body);
		await file.change((now) => [withUpstream(now, entry), undefined]);
		return answer(shown(entry));
	});
	register(app, setUpstreams, async ({ body: { editor, engines }, answer }) => {
		const entries = engines.map(entryOf);
		const names = entries.map(({ name }) => name);
		const twice = names.find((name, at) => names.indexOf(name) !== at);
		if (twice !== undefined)
			throw new AppError('invalid_request', `Two engines have the name '${twice}'.`, {
				param: 'engines',
			});
		const upstreams = await file.change((now) => {
			const next = withSetting(now, editor, entries);
			return [next, next.upstreams];
		});
		return answer({ upstreams: upstreams.map(shown) });
	});
	register(app, removeUpstream, async ({ context, answer }) => {
		const name = context.req.param('name');
		await file.change((now) => [withoutUpstream(now, name), undefined]);
		return answer({});
	});
	register(app, testUpstream, async ({ context, signal, answer }) => {
		const name = context.req.param('name');
		try {
			const models = await upstreams.test(name, signal);
			return answer({ name, models: models.map(({ fullId }) => fullId) });
		} catch (error) {
			if (!(error instanceof AppError) || /^(?:cancelled|not_found)$/.test(error.code)) throw error;
			return answer({ name, models: [], problem: error.message });
		}
	});
}

/** @throws AppError `invalid_request` for a name or an address that cannot be taken */
function entryOf(body: BodyOf<typeof addUpstream>): UpstreamEntry {
	const { timeoutS = defaultTimeoutS, models = [], uses = [], allowHttp = false } = body;
	return {
		name: checkedName(body.name),
		url: checkedAddress(body.url, allowHttp),
		...{ models, timeoutS },
		...(uses.length === 0 ? {} : { uses }),
		...(body.keyInEditor ? { isKeyInEditor: true } : {}),
	};
}

const shown = (entry: UpstreamEntry): UpstreamInfo => {
	const { name, url, models, uses = [], timeoutS, keyFile, isKeyInEditor, editor } = entry;
	const key = isKeyInEditor ? 'editor' : keyFile === undefined ? 'none' : 'file';
	return { name, url, models, uses, timeoutS, key, inSetting: editor !== undefined };
};

/** A model of an engine elsewhere as lists of models have it. */
function modelInfoOf(model: ListedUpstreamModel): ModelInfo {
	const { fullId: id, id: name, host, task = 'chat-completion', contextLength, problem } = model;
	return {
		...{ id, name, version: '', alias: id, displayName: `${name} · ${host}`, task },
		...{ state: 'remote', origin: 'upstream', publisher: host, license: '' },
		// Nobody knows before it was tried; the engine says so itself.
		supportsToolCalling: task === 'chat-completion',
		...(contextLength === undefined ? {} : { contextLength }),
		...(problem === undefined ? {} : { notices: [{ kind: 'note', message: problem }] }),
	};
}
