/** Work that another execution provider does than the wished one is said in a header of the answer. */

import type { Context } from 'hono';
import type { ProviderFallback } from '../services/host.ts';
import type { AppEnv } from './env.ts';

/** `cpu; requested=webgpu` */
const fallbackHeader = 'x-execution-provider';

export function noteFallback(context: Context<AppEnv>, fallback: ProviderFallback): void {
	context.header(fallbackHeader, `${fallback.used}; requested=${fallback.requested}`);
}
