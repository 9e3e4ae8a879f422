/** Which execution provider a load gets, when the wished one is not there or does not start here. */

import { AppError, type ExecutionProvider, type ModelNotice } from '../protocol/index.ts';
import type { ProviderFallback } from '../services/host.ts';
import type { Logger } from '../services/logger.ts';

/**
 * When a provider that cannot be used is an error: where a request names it; where a model's files name it,
 * too; or never, and the CPU does the work.
 */
export const providerRefusals = ['named', 'always', 'never'] as const;

export type ProviderRefusal = (typeof providerRefusals)[number];

/** Where models run when neither a request nor their own files say so. */
export const devices = ['cpu', 'auto'] as const;

export interface RequestedProvider {
	/** Named by the request. */
	readonly byRequest?: ExecutionProvider | undefined;
	/** Named by the model's files. */
	readonly byModel?: ExecutionProvider | undefined;
}

export interface ChosenProvider {
	readonly provider: ExecutionProvider;
	/** Set when it is not the wished one. */
	readonly fallback?: ProviderFallback;
	/** Activations of 4-bit weights in single precision. */
	readonly exact?: boolean;
}

export interface ProviderChoiceDeps {
	readonly refusal: ProviderRefusal;
	/** Whether the installed runtime brings a provider along. */
	readonly hasProvider: (provider: ExecutionProvider) => boolean;
	readonly log: Logger;
}

/** Remembers what did not start here, so that it is tried once. */
export class ProviderChoice {
	readonly #deps: ProviderChoiceDeps;
	readonly #failed = new Map<ExecutionProvider, string>();
	readonly #warned = new Set<ExecutionProvider>();

	constructor(deps: ProviderChoiceDeps) {
		this.#deps = deps;
	}

	/** Notes that a provider did not start. */
	fails(provider: ExecutionProvider, reason: string): void {
		this.#failed.set(provider, reason);
	}

	/** @throws AppError `unsupported_parameter` (`ep`) with the reason, where the CPU may not stand in */
	choose({ byRequest: asked, byModel }: RequestedProvider): ChosenProvider {
		const requested = asked ?? byModel ?? 'cpu';
		const reason = this.#faultOf(requested);
		if (reason === undefined) return { provider: requested };
		const { refusal, log } = this.#deps;
		if (refusal === 'always' || (refusal === 'named' && asked !== undefined))
			throw new AppError(
				'unsupported_parameter',
				`${requested} cannot be used here: ${reason} ${asked === undefined ? "The model's genai_config.json names it." : "Leave 'ep' out, or name one that 'nearglot doctor' lists."} With \`nearglot serve --refuse-ep never\` the CPU does the work instead.`,
				{ param: 'ep' },
			);
		if (!this.#warned.has(requested))
			log.warn('execution provider cannot be used here, the CPU is used instead', {
				executionProvider: requested,
				reason,
			});
		this.#warned.add(requested);
		return { provider: 'cpu', fallback: { requested, used: 'cpu', reason } };
	}

	#faultOf(provider: ExecutionProvider): string | undefined {
		if (provider === 'cpu') return undefined;
		if (!this.#deps.hasProvider(provider))
			return `This installation of the runtime comes without ${provider}.`;
		return this.#failed.get(provider);
	}
}

/** The hardware behind a provider: a model runs on each once. */
export function deviceOf(provider: ExecutionProvider): 'cpu' | 'gpu' | 'npu' {
	if (provider === 'cpu') return 'cpu';
	return provider === 'qnn' ? 'npu' : 'gpu';
}

/** What the model list says about a model that runs elsewhere than its files ask. */
export function fallbackNotice({ requested, used, reason }: ProviderFallback): ModelNotice {
	const message = `The model's genai_config.json asks for ${requested}, which cannot be used here, so it runs on the ${used === 'cpu' ? 'CPU' : used}: ${reason}`;
	return { kind: 'note', message };
}
