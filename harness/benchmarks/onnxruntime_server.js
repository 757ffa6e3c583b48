// Runs onnxruntime for the benchmark program: one JSON request per line on standard input, one JSON answer per line on
// standard output. It measures with its own clock, so that process boundaries cost nothing.
//   {"load": NAME, "model": FILE, "threads": N, "exact": BOOL, "feeds": {INPUT: {"type": T, "dims": [..], "file": FILE}}}
//   {"run": NAME, "iterations": N}          -> {"nanoseconds": total}
//   {"output": NAME, "file": FILE}          -> writes the raw bytes of "y" of one run
// "exact" asks for kernels that do not saturate (session.x64quantprecision=1).
//
// What a measured run must not hold, because none of it is onnxruntime's work:
// - Fetched outputs are copied to new JavaScript memory, even where the caller brings a tensor for them, and the page faults of that
//   can take ten times as long as the operator. So a measured run fetches only the model's "shape": onnxruntime computes all nodes
//   of a model in each run whatever is fetched, "y" into memory that it keeps from run to run.
// - InferenceSession.run of the package waits for the event loop; the binding below it does not.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const folder = path.join(process.argv[2], 'node_modules', 'onnxruntime-node');
const ort = require(folder);
const {binding, initOrt} = require(path.join(folder, 'dist', 'binding.js'));

const arrays = {uint8: Uint8Array, int8: Int8Array, float32: Float32Array};
const sessions = new Map();

function readTensor({type, dims, file}) {
  const bytes = fs.readFileSync(file);
  const array = new arrays[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new ort.Tensor(type, array, dims);
}

function answer(request) {
  if (request.load !== undefined) {
    const options = {intraOpNumThreads: request.threads, interOpNumThreads: 1, executionMode: 'sequential'};
    if (request.exact) options.extra = {session: {x64quantprecision: '1'}};
    const session = new binding.InferenceSession();
    session.loadModel(request.model, options);
    const feeds = {};
    for (const [name, description] of Object.entries(request.feeds)) feeds[name] = readTensor(description);
    sessions.set(request.load, {session, feeds});
    return {version: ort.env.versions.node};
  }
  if (request.run !== undefined) {
    const {session, feeds} = sessions.get(request.run);
    const fetches = {shape: null};
    const start = process.hrtime.bigint();
    for (let i = 0; i < request.iterations; ++i) session.run(feeds, fetches, {});
    return {nanoseconds: Number(process.hrtime.bigint() - start)};
  }
  if (request.output !== undefined) {
    const {session, feeds} = sessions.get(request.output);
    const {data} = session.run(feeds, {y: null}, {}).y;
    fs.writeFileSync(request.file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    return {bytes: data.byteLength};
  }
  return {error: 'unknown request'};
}

(async () => {
  initOrt();
  for await (const line of readline.createInterface({input: process.stdin})) {
    let result;
    try {
      result = answer(JSON.parse(line));
    } catch (error) {
      result = {error: String(error)};
    }
    process.stdout.write(JSON.stringify(result) + '\n');
  }
})();
