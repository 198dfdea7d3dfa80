#!/usr/bin/env bash
# Builds @tensorflow/tfjs-node without its download host: the package from the npm registry, its addon compiled here
# against the library and headers of PyPI's tensorflow-cpu. @tensorflow/tfjs-node-gpu shares these sources.
#
#   build.sh FOLDER [PYTHON]    FOLDER must lie outside the repository; PYTHON is 3.9 to 3.11 (default python3)
#
# Needs g++ and Node's headers. Afterwards `source FOLDER/use.sh`, which sets
#   EMAC_TFJS_NODE   the folder; tests of packages/model then run on TensorFlow's runtime too
#   LD_LIBRARY_PATH  where the library lies
# To run `emac --tf-backend node`, link the package: ln -s FOLDER/node_modules/@tensorflow/tfjs-node node_modules/@tensorflow/
set -euo pipefail
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
python="${2:-python3}"

[[ -d "$folder/venv" ]] || "$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q tensorflow-cpu==2.15.1
cd "$folder"
[[ -f package.json ]] || npm init -y > /dev/null
npm install --silent --ignore-scripts @tensorflow/tfjs-node@4.22.0

tensorflow="$("$folder/venv/bin/python" -c 'import importlib.util as u; print(u.find_spec("tensorflow").submodule_search_locations[0])')"
node="$(cd "$(dirname "$(readlink -f "$(command -v node)")")/.." && pwd)"
package="$folder/node_modules/@tensorflow/tfjs-node"
mkdir -p "$package/lib/napi-v8"
g++ -O2 -fPIC -shared -std=c++17 \
  -DNAPI_VERSION=8 -DNODE_GYP_MODULE_NAME=tfjs_binding -DBUILDING_NODE_EXTENSION \
  -I"$node/include/node" -I"$tensorflow/include" -I"$package/binding" "$package"/binding/*.cc \
  -L"$tensorflow" -l:libtensorflow_cc.so.2 -l:libtensorflow_framework.so.2 \
  -o "$package/lib/napi-v8/tfjs_binding.node"

cat > use.sh <<USE
export EMAC_TFJS_NODE="$folder"
export LD_LIBRARY_PATH="$tensorflow\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
USE
source use.sh
node -e 'const tf = require("@tensorflow/tfjs-node"); console.log(`tfjs-node runs on ${tf.getBackend()}`)'
