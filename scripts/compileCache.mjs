/**
 * Imported by each process of tests: sources are stripped of their types once for all of them, and for the
 * programs that they start with their own environment.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { root } from './node.mjs';

process.env['NODE_COMPILE_CACHE'] = join(root, 'test/.work/compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
