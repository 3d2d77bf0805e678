"""Messages of Bazel's Remote Execution API 2 and of what it uses, as far as the tests need them."""

import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

TEXT = """
message Any { string type_url = 1; bytes value = 2; }
message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
message Violation { string type = 1; string subject = 2; }
message PreconditionFailure { repeated Violation violations = 1; }
message Digest { string hash = 1; int64 size_bytes = 2; }
message Empty { }

message GetCapabilitiesRequest { string instance_name = 1; }
message CacheCapabilities { repeated int32 digest_functions = 1; int64 max_batch_total_size_bytes = 4; }
message ExecutionCapabilities { int32 digest_function = 1; bool exec_enabled = 2; }
message ServerCapabilities { CacheCapabilities cache_capabilities = 1; ExecutionCapabilities execution_capabilities = 2; }

message FindMissingBlobsRequest { string instance_name = 1; repeated Digest blob_digests = 2; }
message FindMissingBlobsResponse { repeated Digest missing_blob_digests = 2; }
message Blob { Digest digest = 1; bytes data = 2; }
message BatchUpdateBlobsRequest { string instance_name = 1; repeated Blob requests = 2; }
message Updated { Digest digest = 1; Status status = 2; }
message BatchUpdateBlobsResponse { repeated Updated responses = 1; }
message BatchReadBlobsRequest { string instance_name = 1; repeated Digest digests = 2; }
message ReadBlob { Digest digest = 1; bytes data = 2; Status status = 3; }
message BatchReadBlobsResponse { repeated ReadBlob responses = 1; }
message ReadRequest { string resource_name = 1; int64 read_offset = 2; int64 read_limit = 3; }
message ReadResponse { bytes data = 10; }
message WriteRequest { string resource_name = 1; int64 write_offset = 2; bool finish_write = 3; bytes data = 10; }
message WriteResponse { int64 committed_size = 1; }

message FileNode { string name = 1; Digest digest = 2; bool is_executable = 4; }
message DirectoryNode { string name = 1; Digest digest = 2; }
message Directory { repeated FileNode files = 1; repeated DirectoryNode directories = 2; }
message Property { string name = 1; string value = 2; }
message Platform { repeated Property properties = 1; }
message Command { repeated string arguments = 1; repeated string output_files = 3; repeated string output_paths = 7; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message Action { Digest command_digest = 1; Digest input_root_digest = 2; Duration timeout = 6; bool do_not_cache = 7; Platform platform = 10; }
message ExecuteRequest { string instance_name = 1; bool skip_cache_lookup = 3; Digest action_digest = 6; }
message WaitExecutionRequest { string name = 1; }
message OutputFile { string path = 1; Digest digest = 2; bool is_executable = 4; bytes contents = 5; }
message ExecutedActionMetadata { string worker = 1; }
message ActionResult { repeated OutputFile output_files = 2; int32 exit_code = 4; bytes stderr_raw = 7; ExecutedActionMetadata execution_metadata = 9; }
message ExecuteResponse { ActionResult result = 1; bool cached_result = 2; Status status = 3; }
message ExecuteOperationMetadata { int32 stage = 1; }
message Operation { string name = 1; Any metadata = 2; bool done = 3; Status error = 4; Any response = 5; }
message CancelOperationRequest { string name = 1; }
message GetActionResultRequest { string instance_name = 1; Digest action_digest = 2; }
message UpdateActionResultRequest { string instance_name = 1; Digest action_digest = 2; ActionResult action_result = 3; }
"""

FIELD = descriptor_pb2.FieldDescriptorProto


def classes():
    file = descriptor_pb2.FileDescriptorProto(name="reapi", package="reapi", syntax="proto3")
    for name, body in re.findall(r"message (\w+) \{(.*?)\}", TEXT):
        message = file.message_type.add(name=name)
        for repeated, kind, field, number in re.findall(r"(repeated )?(\w+) (\w+) = (\d+);", body):
            label = FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL
            if hasattr(FIELD, f"TYPE_{kind.upper()}"):
                message.field.add(
                    name=field, number=int(number), label=label, type=getattr(FIELD, f"TYPE_{kind.upper()}")
                )
            else:
                message.field.add(
                    name=field, number=int(number), label=label, type=FIELD.TYPE_MESSAGE, type_name=f".reapi.{kind}"
                )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        m.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"reapi.{m.name}"))
        for m in file.message_type
    }


globals().update(classes())
