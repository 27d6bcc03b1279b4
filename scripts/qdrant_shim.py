"""A stand-in for a Qdrant server, for tests: its gRPC calls over Qdrant's own storage engine in this process.

    qdrant_shim.py FOLDER [--port 0] [--until-stdin-closes] [--fail CALL=CODE*N]

Listens on 127.0.0.1 only and prints "listening on http://127.0.0.1:PORT". Each collection is one shard in FOLDER: shards,
replicas and consensus are not covered, their numbers only kept and told back. Needs scripts/qdrant_shim.txt.
--fail ends the first N calls of that name with a status. With QDRANT_SHIM_API_KEY set, calls without that key are refused.
"""

import argparse
import os
import shutil
import sys
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import qdrant_edge as edge
from qdrant_client import grpc as q
from qdrant_client.conversions.conversion import grpc_to_payload, json_to_value

OPTIMIZE_EVERY = 20_000  # points written between two runs of the engine's optimizers, or half of all
CODES = {LookupError: "NOT_FOUND", FileExistsError: "ALREADY_EXISTS", ValueError: "INVALID_ARGUMENT"}
SAID = {"No point with id": "NOT_FOUND", "Vector dimension": "INVALID_ARGUMENT", "Not existing vector": "INVALID_ARGUMENT"}
change = edge.UpdateOperation


def given(message, *fields):
    """The optional fields of a message that are set."""
    return {f: getattr(message, f) for f in fields if message.HasField(f)}


def point_id(p):
    return p.num if p.WhichOneof("point_id_options") == "num" else uuid.UUID(p.uuid)


def vector(v):
    if v.HasField("sparse"):
        return edge.SparseVector(list(v.sparse.indices), list(v.sparse.values))
    return [list(row.data) for row in v.multi_dense.vectors]


def vectors(v):
    return {name: vector(one) for name, one in v.vectors.vectors.items()}


def condition(c):
    kind = c.WhichOneof("condition_one_of")
    if kind == "filter":
        return filters(c.filter)
    how = c.field.match.WhichOneof("match_value")
    if kind == "field" and how in ("keyword", "integer"):
        return edge.FieldCondition(c.field.key, match=edge.MatchValue(getattr(c.field.match, how)))
    if kind == "field" and how == "keywords":
        return edge.FieldCondition(c.field.key, match=edge.MatchAny(list(c.field.match.keywords.strings)))
    if kind == "field" and c.field.HasField("range"):
        return edge.FieldCondition(c.field.key, range=edge.RangeFloat(**given(c.field.range, "lt", "gt", "lte", "gte")))
    raise ValueError(f"not a condition of the stand-in: {c}")


def filters(f):
    return edge.Filter(**{name: [condition(c) for c in getattr(f, name)] or None for name in ("must", "should", "must_not")})


def filter_of(request, field="filter"):
    return filters(getattr(request, field)) if request.HasField(field) else None


def parts(request):
    """What to send of payload and vectors: all, nothing, or the named fields."""
    p, v = request.with_payload, request.with_vectors
    payload = edge.PayloadSelector.Include(list(p.include.fields)) if p.HasField("include") else p.enable
    return {"with_payload": payload, "with_vector": list(v.include.names) if v.HasField("include") else v.enable}


def nearest(r):
    """A query for the nearest points to a vector."""
    if r.query.WhichOneof("variant") != "nearest" or r.prefetch:
        raise ValueError("the stand-in only searches for the nearest points")
    params = given(r.params, "exact", "quantization")
    if "quantization" in params:
        params["quantization"] = edge.QuantizationSearchParams(**given(params["quantization"], "rescore", "oversampling"))
    return edge.QueryRequest(
        limit=r.limit,
        query=edge.Query.Nearest(vector(r.query.nearest), using=r.using),
        filter=filter_of(r),
        params=edge.SearchParams(**params),
        **parts(r),
    )


def quantization(message):
    c = message.quantization_config
    if c.HasField("scalar"):
        return edge.ScalarQuantizationConfig(edge.ScalarType.Int8, **given(c.scalar, "quantile", "always_ram"))
    if c.HasField("binary"):
        return edge.BinaryQuantizationConfig(**given(c.binary, "always_ram"))


def graph(message):
    h = message.hnsw_config
    return edge.HnswIndexConfig(h.m, h.ef_construct or 100, h.full_scan_threshold or 10_000) if h.HasField("m") else None


def config(r):
    """The engine's settings of a collection. The engine wants a vector space; a server does without."""
    v = r.vectors_config
    dense, multi = {}, edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim)
    for name, p in v.params_map.map.items():
        kind, many = getattr(edge.Distance, q.Distance.Name(p.distance)), multi if p.HasField("multivector_config") else None
        more = {"hnsw_config": graph(p), **given(p, "on_disk")}
        dense[name] = edge.EdgeVectorParams(p.size, kind, multivector_config=many, **more)
    sparse = {name: edge.EdgeSparseVectorParams(**given(p.index, "on_disk")) for name, p in r.sparse_vectors_config.map.items()}
    sparse = sparse if dense or sparse else {"none": edge.EdgeSparseVectorParams()}
    return edge.EdgeConfig(
        vectors=dense or None,
        sparse_vectors=sparse or None,
        quantization_config=quantization(r),
        **given(r, "on_disk_payload"),
    )


def wire_id(i):
    return q.PointId(num=i) if isinstance(i, int) else q.PointId(uuid=str(i))


def wire_vector(v):
    if isinstance(v, edge.SparseVector):
        return q.VectorOutput(sparse=q.SparseVector(indices=v.indices, values=v.values))
    return q.VectorOutput(multi_dense=q.MultiDenseVector(vectors=[q.DenseVector(data=row) for row in v]))


def wire(kind, points):
    """Records, or points with their scores."""
    out = []
    for p in points:
        more = {"score": p.score, "version": p.version} if kind is q.ScoredPoint else {}
        out.append(kind(id=wire_id(p.id), payload={k: json_to_value(v) for k, v in (p.payload or {}).items()}, **more))
        if p.vector is not None:
            named = q.NamedVectorsOutput(vectors={name: wire_vector(v) for name, v in p.vector.items()})
            out[-1].vectors.CopyFrom(q.VectorsOutput(vectors=named))
    return out


class Collection:
    """A shard, and one thread that writes to it in the order in which the writes came."""

    def __init__(self, folder):
        self.shard = edge.EdgeShard.load(str(folder / "shard"))
        self.writer, self.fresh = ThreadPoolExecutor(1), 0

    def apply(self, operation, points):
        self.shard.update(operation)
        self.fresh += points
        if self.fresh >= max(OPTIMIZE_EVERY, self.shard.info().points_count // 2):
            self.fresh = 0
            self.shard.flush()
            self.shard.optimize()

    def close(self):
        self.writer.shutdown()
        self.shard.close()


class Collections(q.CollectionsServicer):
    def __init__(self, folder):
        self.folder, self.open, self.lock = folder, {}, threading.Lock()
        for one in folder.iterdir():
            if (one / "made").exists():
                self.open[one.name] = Collection(one)
            else:  # killed while it was made
                shutil.rmtree(one)

    def find(self, request):
        if request.collection_name not in self.open:
            raise LookupError(f"Not found: Collection `{request.collection_name}` doesn't exist!")
        return self.open[request.collection_name]

    def Create(self, request, context):
        with self.lock:
            name, folder = request.collection_name, self.folder / request.collection_name
            if name in self.open:
                raise FileExistsError(f"Wrong input: Collection `{name}` already exists!")
            edge.EdgeShard.create(str(folder / "shard"), config(request)).close()
            (folder / "made").touch()
            self.open[name] = Collection(folder)
        return q.CollectionOperationResponse(result=True)

    def CollectionExists(self, request, context):
        return q.CollectionExistsResponse(result=q.CollectionExists(exists=request.collection_name in self.open))


class Points(q.PointsServicer):
    def __init__(self, collections):
        self.find = collections.find

    def write(self, request, operation, points=1):
        """Applies a change, and waits for it."""
        collection = self.find(request)
        collection.writer.submit(collection.apply, operation, points).result()
        return q.PointsOperationResponse(result=q.UpdateResult(status=q.UpdateStatus.Completed))

    def CreateFieldIndex(self, request, context):
        kind = getattr(edge.PayloadSchemaType, q.FieldType.Name(request.field_type).removeprefix("FieldType"))
        return self.write(request, change.create_field_index(request.field_name, kind))

    def Upsert(self, request, context):
        points = [edge.Point(point_id(p.id), vectors(p.vectors), grpc_to_payload(p.payload)) for p in request.points]
        mode = [edge.UpdateMode.Upsert, edge.UpdateMode.InsertOnly, edge.UpdateMode.UpdateOnly][request.update_mode]
        return self.write(request, change.upsert_points(points, filter_of(request, "update_filter"), mode), len(points))

    def UpdateVectors(self, request, context):
        points = [edge.PointVectors(point_id(p.id), vectors(p.vectors)) for p in request.points]
        return self.write(request, change.update_vectors(points, filter_of(request, "update_filter")), len(points))

    def SetPayload(self, request, context):
        where, new = filters(request.points_selector.filter), grpc_to_payload(request.payload)
        return self.write(request, change.set_payload_by_filter(where, new))

    def Delete(self, request, context):
        if request.points.HasField("filter"):
            return self.write(request, change.delete_points_by_filter(filters(request.points.filter)))
        return self.write(request, change.delete_points([point_id(p) for p in request.points.points.ids]))

    def Get(self, request, context):
        found = self.find(request).shard.retrieve([point_id(p) for p in request.ids], **parts(request))
        return q.GetResponse(result=wire(q.RetrievedPoint, found))

    def Scroll(self, request, context):
        start = point_id(request.offset) if request.HasField("offset") else None
        wanted = edge.ScrollRequest(offset=start, limit=request.limit or 10, filter=filter_of(request), **parts(request))
        found, after = self.find(request).shard.scroll(wanted)
        after = None if after is None else wire_id(after)
        return q.ScrollResponse(result=wire(q.RetrievedPoint, found), next_page_offset=after)

    def Count(self, request, context):
        count = self.find(request).shard.count(edge.CountRequest(filter=filter_of(request)))
        return q.CountResponse(result=q.CountResult(count=count))

    def Query(self, request, context):
        return q.QueryResponse(result=wire(q.ScoredPoint, self.find(request).shard.query(nearest(request))))


class Health(q.QdrantServicer):
    def HealthCheck(self, request, context):
        return q.HealthCheckReply(title="qdrant-edge behind a stand-in", version="1.20.0")


class Rules(grpc.ServerInterceptor):
    """The key and the failures that were asked for, and a status for what the engine says."""

    def __init__(self, fail):
        self.key, self.fail = os.environ.get("QDRANT_SHIM_API_KEY"), {}
        for call, what in (one.split("=") for one in fail):
            self.fail[call] = iter([what.split("*")[0]] * int(what.split("*")[1]))

    def intercept_service(self, next_step, details):
        handler, call = next_step(details), details.method.split("/")[-1]

        def answer(request, context):
            if self.key and dict(context.invocation_metadata()).get("api-key") != self.key:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "Must provide an API key or an Authorization bearer token")
            if code := next(self.fail.get(call, iter(())), None):
                context.set_trailing_metadata([("retry-after", "1")] if code == "RESOURCE_EXHAUSTED" else [])
                context.abort(grpc.StatusCode[code], f"{call} was told to fail")
            try:
                return handler.unary_unary(request, context)
            except Exception as problem:
                said = next((code for start, code in SAID.items() if str(problem).startswith(start)), None)
                context.abort(grpc.StatusCode[said or CODES.get(type(problem), "INTERNAL")], str(problem))

        return handler and grpc.unary_unary_rpc_method_handler(answer, handler.request_deserializer, handler.response_serializer)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folder", type=Path)
    args.add_argument("--port", type=int, default=0)
    args.add_argument("--until-stdin-closes", action="store_true")
    args.add_argument("--fail", action="append", default=[])
    args = args.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    sizes = [("grpc.max_receive_message_length", 32 << 20), ("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]
    server = grpc.server(ThreadPoolExecutor(16), interceptors=[Rules(args.fail)], options=sizes)
    collections = Collections(args.folder)
    q.add_CollectionsServicer_to_server(collections, server)
    q.add_PointsServicer_to_server(Points(collections), server)
    q.add_QdrantServicer_to_server(Health(), server)
    print(f"listening on http://127.0.0.1:{server.add_insecure_port(f'127.0.0.1:{args.port}')}", flush=True)
    server.start()
    sys.stdin.read() if args.until_stdin_closes else server.wait_for_termination()
    server.stop(None)
    for collection in collections.open.values():
        collection.close()


if __name__ == "__main__":
    main()
